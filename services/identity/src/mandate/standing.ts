import type { MandateInput } from '@countersign/proto/identity';
import { inTransaction, type Pool } from '@countersign/runtime/database';
import type { MandateColumns } from '../spending-facts.js';
import { activeMandates, standingOf } from '../sql.js';
import { rails } from '../vocabulary.js';
import { mandateBytes, maxMandatesBytes } from './message.js';
import { mandateView } from './view.js';

/** What says whether a mandate can still be the one that is used; times in epoch milliseconds. */
export interface Standing {
  id: string;
  rails: string[];
  validFrom: number;
  validUntil: number;
  createdAt: number;
}

/** Of so many, the newest, it is asked whether they matter. */
const maxLooked = 10_000;
const maxSent = 100;
/** By so much the clock of whoever decides may be behind. */
const skewMs = 60_000;
/** One moment for both looks: what is revoked between them would hide what it stood before. */
const beginLooking = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * Of an agent with many mandates, those that may still be used, newest first; of each rail the
 * newest too, whatever has become of it, since it says why there is none. Mandates for one occasion
 * pile up, and do not hide the standing one behind them.
 */
export async function standingMandates(
  pool: Pool,
  agentId: string,
  nowMs: number,
): Promise<MandateInput[]> {
  const look = inTransaction(
    pool,
    async (client) => {
      const newest = await client.query<Standing>({ ...standingOf, values: [agentId, maxLooked] });
      const ids = wanted(newest.rows, nowMs);
      return client.query<MandateColumns>({ ...activeMandates, values: [agentId, ids] });
    },
    beginLooking,
  );
  const { rows } = await look;
  const mandates = rows.map((record) => mandateView(record, null));
  return withinMessage(mandates);
}

function wanted(newestFirst: readonly Standing[], nowMs: number): string[] {
  const unended = newestFirst.filter(({ validUntil }) => validUntil > nowMs - skewMs);
  const newest = rails.flatMap((rail) => newestFirst.find((m) => m.rails.includes(rail)) ?? []);
  return [...usable(unended, nowMs, maxSent), ...newest].map(({ id }) => id);
}

/**
 * Leaves out what a newer one stands before from now on, until its end and on all its rails. Takes
 * and returns the newest first, at most `most`.
 */
export function usable<M extends Standing>(
  newestFirst: readonly M[],
  nowMs: number,
  most: number,
): M[] {
  const kept: M[] = [];
  for (const mandate of newestFirst) {
    if (kept.length === most) break;
    if (!kept.some((newer) => standsBefore(newer, mandate, nowMs))) kept.push(mandate);
  }
  return kept;
}

function standsBefore(newer: Standing, older: Standing, nowMs: number): boolean {
  const beganAt = newer.validFrom;
  const hasBegun = beganAt <= newer.createdAt || beganAt <= nowMs - skewMs;
  return (
    hasBegun &&
    newer.validUntil >= older.validUntil &&
    older.rails.every((rail) => newer.rails.includes(rail))
  );
}

function withinMessage(mandates: MandateInput[]): MandateInput[] {
  let bytes = 0;
  return mandates.filter((mandate) => {
    bytes += mandateBytes(mandate);
    return bytes <= maxMandatesBytes;
  });
}
