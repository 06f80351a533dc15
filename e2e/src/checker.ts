/**
 * An independent checker of the ledger: it reads the appended rows straight from PostgreSQL,
 * recomputes everything in exact integers without any rule of the product, of which it uses only
 * what reads stored answers and events, and compares the result with what callers were answered and
 * what the bus delivered.
 *
 *   const answers: SeenAnswer[] = [];          // every answer to POST /authorize, as received
 *   const databaseUrl = ledgerDatabase(stack); // the sandbox's, unless another is named
 *   await untilAccounted({ databaseUrl, answers });
 *   const { violations, figures } = await check({ databaseUrl, answers, limits, delivered });
 *   t.same(violations, []);
 *
 * What it checks:
 * - usage: for each mandate, UTC day and month, approvals and confirmed challenges minus reversals
 *   and voided decisions are within `limits` (for a mandate that is not in it, within the recorded
 *   ones), and were so when each approval was answered; the stored counters equal these sums;
 *   nothing is released that was not reserved, or released twice; void decisions reserve nothing.
 * - answers: no 5xx; every answer is recorded under its id, and what the ledger restores of it is
 *   what was sent, byte for byte; a key has one decision and one answer. Two exceptions are rules
 *   of the product: a fail-safe answer to a replay that could not be looked up is not recorded if
 *   the key had been decided by then; and a decision made while a fail-safe answer with the same
 *   key was given keeps its id (only for requests that overlapped, unless `overruling` says that
 *   several gateways answered).
 * - completeness: no record of these Principals lacks an answer (`complete: false` turns this off,
 *   for when answers were lost on the way to the caller).
 * - amendments, if given: each challenge has the one answer that was acknowledged, and the amount
 *   released is the sum of what callers were told.
 * - events: exactly one for each record and each appended fact, and, if `delivered` has the
 *   payloads read from the bus, each of them is there, unchanged, and there are no others.
 */
import { until } from '@countersign/runtime/testing';
import type { Stack } from '@countersign/tools/stack';
import { amendmentViolations, type SeenAmendment } from './checker/amendments.js';
import {
  type AnswerFigures,
  answered,
  answerFigures,
  answerViolations,
  isAccounted,
  isSafe,
  type SeenAnswer,
  truthOf,
} from './checker/answers.js';
import { eventViolations } from './checker/events.js';
import { readSnapshot, type Snapshot } from './checker/snapshot.js';
import { type Limits, usageViolations } from './checker/usage.js';

export type { SeenAmendment } from './checker/amendments.js';
export type { SeenAnswer } from './checker/answers.js';
export type { Limits } from './checker/usage.js';

export interface Evidence {
  answers: readonly SeenAnswer[];
  /** If given: every confirmation, denial and reversal that was acknowledged. */
  amendments?: readonly SeenAmendment[];
  /** Limits by mandate, as the test set them. */
  limits?: ReadonlyMap<string, Limits>;
  /** Payloads read from the bus, repeats included; see bus-reader.ts. */
  delivered?: readonly string[];
  /** True by default: `answers` contains every answer given to these Principals. */
  complete?: boolean;
  /**
   * False by default: allows that a retry reached another gateway than the one that failed safe.
   */
  overruling?: boolean;
}

export interface Verdict {
  /** Empty if there are none; at most `maxViolations` sentences. */
  violations: string[];
  figures: AnswerFigures & { events: number };
}

const maxViolations = 20;
const accountedTimeoutMs = 60_000;

export async function check(evidence: Evidence & { databaseUrl: string }): Promise<Verdict> {
  return judge(await readSnapshot(evidence.databaseUrl), evidence);
}

/** The same, for a snapshot that was read before. */
export function judge(snapshot: Snapshot, evidence: Evidence): Verdict {
  const { answers, amendments, limits = new Map(), delivered = null } = evidence;
  const { complete = true, overruling = false } = evidence;
  const violations = [
    ...usageViolations(snapshot, limits),
    ...answerViolations(snapshot, answers, { complete, overruling }),
    ...(amendments ? amendmentViolations(snapshot, amendments) : []),
    ...eventViolations(snapshot, delivered),
  ];
  const figures = { ...answerFigures(snapshot, answers), events: snapshot.outbox.length };
  return { violations: violations.slice(0, maxViolations), figures };
}

/**
 * Resolves when every fail-safe answer has been recorded and every event published, so that nothing
 * may be missing from then on. If the bus may have lost its store, `readBus` returns its content,
 * and everything published has to be there again.
 */
export async function untilAccounted(of: {
  databaseUrl: string;
  answers: readonly SeenAnswer[];
  readBus?: () => Promise<readonly string[]>;
}): Promise<void> {
  const safe = answered(of.answers).filter(isSafe);
  await until(
    async () => {
      const snapshot = await readSnapshot(of.databaseUrl);
      const truth = truthOf(snapshot);
      if (!safe.every((each) => isAccounted(each, truth))) return false;
      if (!snapshot.outbox.every(({ published }) => published)) return false;
      if (!of.readBus) return true;
      const held = new Set((await of.readBus()).map((text) => JSON.parse(text).id));
      return snapshot.outbox.every(({ payload }) => held.has(JSON.parse(payload).id));
    },
    { timeoutMs: accountedTimeoutMs, what: 'everything answered and recorded to be accounted for' },
  );
}

/** URL of the ledger's database for one environment of an installation. */
export function ledgerDatabase(
  { databases }: Pick<Stack, 'databases'>,
  environment: 'live' | 'sandbox' = 'sandbox',
): string {
  const found = databases.find(
    (each) => each.service === 'ledger' && each.environment === environment,
  );
  if (!found) throw new Error(`there is no ledger of ${environment}`);
  return found.url;
}
