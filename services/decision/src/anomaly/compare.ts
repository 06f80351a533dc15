import type { PaymentFacts } from '../facts/shape.js';
import type { Baseline } from './baseline.js';
import { HistoryScan, maxAgeSeconds, rounded } from './history-scan.js';
import { injectionList, injectionMarkers } from './injection.js';
import type { LatestRows } from './latest-rows.js';
import type { Likeness } from './likeness.js';
import { packTrace, sketchIn } from './packed-trace.js';
import { amountSteps, column, merchantIn, pastRow } from './past-row.js';
import { addLoop, isReused } from './repeats.js';
import { traceOf } from './trace.js';

interface Compared {
  payment: PaymentFacts;
  /** Epoch milliseconds of the decision. */
  at: number;
  /** Minimum number of approved payments; with fewer, nothing that needs a history is compared. */
  minHistory: number;
}

/** Compares a payment with its agent's history. A null baseline means an agent without history. */
export function likenessOf(baseline: Baseline | null, compared: Compared): Likeness {
  const markers = injectionMarkers(compared.payment);
  const likeness: Likeness = { n: 0 };
  if (markers.length > 0) likeness.markers = [injectionList, ...markers];
  if (!baseline || baseline.approved.count + baseline.others.count === 0) return likeness;
  const { merchant, recorded } = traceOf(compared.payment);
  const { amount, currency } = compared.payment;
  const packed = packTrace({ amount, currency, merchant, trace: recorded });
  const row = pastRow(compared.at, 0, packed);
  addLoop(likeness, baseline, row);
  if (isReused(baseline, row, sketchIn(packed))) likeness.reasonReused = true;
  addHistory(likeness, baseline, { row, minHistory: compared.minHistory });
  return likeness;
}

interface Current {
  row: readonly number[];
  minHistory: number;
}

function addHistory(likeness: Likeness, baseline: Baseline, { row, minHistory }: Current): void {
  const seen = new HistoryScan(row);
  const { approved } = baseline;
  for (let at = 0; at < approved.count; at += 1)
    seen.add(approved.wordsAt(at), approved.placeAt(at));
  likeness.n = seen.n;
  if (seen.n < Math.max(1, minHistory)) return;
  const { median, deviation } = baseline.spreadOf(seen.amounts(), row[column.currency] ?? 0);
  const z = ((row[column.amount] ?? 0) - median) / Math.max(0.1 * amountSteps, deviation);
  likeness.amountZ = rounded(z);
  likeness.sameHours = seen.sameHours;
  likeness.pace = [seen.lastHour, seen.spanHours];
  seen.addOptional(likeness, Math.max(1, minHistory));
  if (seen.isNewMerchant(Math.max(1, minHistory))) {
    likeness.newMerchant = merchantsIn(baseline.approved, row);
  }
}

/** A second pass, since only a payment to a new merchant needs it. */
function merchantsIn(rows: LatestRows, row: readonly number[]): [distinct: number, of: number] {
  const since = (row[column.at] ?? 0) - maxAgeSeconds;
  const merchants: number[] = [];
  for (let at = 0; at < rows.count; at += 1) {
    const merchant = merchantIn(rows.wordsAt(at), rows.placeAt(at));
    const isCompared =
      rows.word(at, column.at) >= since && rows.word(at, column.currency) === row[column.currency];
    if (isCompared && merchant !== 0) merchants.push(merchant);
  }
  return [new Set(merchants).size, merchants.length];
}
