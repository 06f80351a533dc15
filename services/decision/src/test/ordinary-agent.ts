import { Baseline } from '../anomaly/baseline.js';
import { likenessOf } from '../anomaly/compare.js';
import { packTrace } from '../anomaly/packed-trace.js';
import { type AnomalyResult, anomalyScore } from '../anomaly/score.js';
import { traceOf, wordNumber } from '../anomaly/trace.js';
import type { Facts, IntentContextFacts, PaymentFacts } from '../facts/shape.js';
import { factsOf } from './facts.js';

/** Seeded random numbers from 0 to 1 (mulberry32), so that every run is the same. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type PaymentPatch = Partial<Omit<PaymentFacts, 'intentContext'>> & {
  intentContext?: Partial<IntentContextFacts>;
};

const base = factsOf({});

/** Scores the payments of one agent against its history, without a database. */
export class ScoredAgent {
  readonly baseline = new Baseline();

  judge(patch: PaymentPatch, at: number): AnomalyResult {
    const payment = paymentOf(patch);
    const { intentAnomalyMinHistory: minHistory } = base.thresholds;
    const likeness = likenessOf(this.baseline, { payment, at, minHistory });
    return anomalyScore({ ...base, payment, likeness });
  }

  learn(patch: PaymentPatch, at: number, approved = true): void {
    const { amount, currency, ...rest } = paymentOf(patch);
    const { merchant, recorded: trace } = traceOf({ amount, currency, ...rest });
    const packed = packTrace({ amount, currency, merchant, trace });
    this.baseline.version += 1;
    const name = wordNumber(`auth_${this.baseline.version}`);
    this.baseline.put({ version: this.baseline.version, approved, at, name, packed });
  }
}

export function factsWith(patch: PaymentPatch, likeness: Facts['likeness']): Facts {
  return { ...base, payment: paymentOf(patch), ...(likeness && { likeness }) };
}

function paymentOf({ intentContext, ...patch }: PaymentPatch): PaymentFacts {
  const context = { ...base.payment.intentContext, ...intentContext };
  return { ...base.payment, ...patch, intentContext: context };
}

interface Habits {
  /** Mean and standard deviation of the logarithm of the amount. */
  amount: [mean: number, deviation: number];
  merchants: number;
  paymentsADay: number;
}

const dayMs = 86_400_000;
const firstDay = Date.parse('2026-08-03T00:00:00.000Z');

/**
 * Payments of a working agent: lognormal amounts, a few merchants often and many rarely, each with
 * its own MCC, between 8:00 and 18:00, each for a new task.
 */
export function ordinaryPayments(
  count: number,
  { amount, merchants, paymentsADay }: Habits,
  random: () => number,
): Array<{ payment: PaymentPatch; at: number }> {
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let worked = 0;
  return Array.from({ length: count }, (_, number) => {
    // In working days of ten hours each.
    worked += -Math.log(1 - random()) / paymentsADay;
    const at = firstDay + Math.floor(worked) * dayMs + (8 + 10 * (worked % 1)) * 3_600_000;
    const shop = Math.floor(merchants * random() ** 3);
    const payment: PaymentPatch = {
      amount: Math.max(0.01, Math.exp(amount[0] + amount[1] * normal())).toFixed(2),
      merchantName: `Shop ${shop}`,
      mcc: String(5411 + (shop % 4)),
      country: 'USA',
      intentContext: {
        taskReference: `order-${number}`,
        reasoningSummary: `Order ${number}: ${'best of the offers '.repeat(1 + (number % 3))}`,
        confidence: 0.85 + 0.1 * random(),
        alternativesConsidered: 2 + Math.floor(3 * random()),
      },
    };
    return { payment, at: Math.floor(at) };
  });
}
