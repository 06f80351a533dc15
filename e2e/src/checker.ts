/**
 * An independent judge of the ledger: it reads what was appended straight from PostgreSQL, computes
 * everything anew in exact integers with nothing of the product's own code, and holds it against
 * what callers were answered and what the bus delivered.
 *
 *   const answers: SeenAnswer[] = [];          // every answer to POST /authorize, as it was seen
 *   const databaseUrl = ledgerDatabase(stack); // of the sandbox, unless another is named
 *   await untilAccounted({ databaseUrl, answers });
 *   const { violations, figures } = await check({ databaseUrl, answers, limits, delivered });
 *   t.same(violations, []);
 *
 * What it demands:
 * - usage: for each mandate, UTC day and month, approvals and confirmed challenges less what was
 *   reversed or voided are within `limits` (those on record, for a mandate that is not named), and
 *   so was every approval when it was answered; the stored counters are these sums; nothing is
 *   given back that was not reserved, or twice; what is void reserves nothing.
 * - answers: no 5xx; what was answered is on record under its id, byte for byte; a key has one
 *   decision and one answer. Two exceptions are the product's own rules: a fail-safe answer to a
 *   replay that nobody could look up is not recorded, if the key had been decided by then; and a
 *   decision that was made while a fail-safe answer of its key was given keeps its id (only for
 *   requests that overlapped, unless `overruling` says that several gateways answered).
 * - completeness: no record of these Principals says what nobody was told (`complete: false` turns
 *   it off, where answers were lost on the way to the caller).
 * - amendments, where they are given: each challenge has the one answer that was acknowledged, and
 *   what was given back is the sum of what callers were told.
 * - events: exactly one for each record and each appended fact, and, where `delivered` has the
 *   payloads that were read from the bus, each of them there, unchanged, and no others.
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
  /** Where given: every confirmation, denial and reversal that was acknowledged. */
  amendments?: readonly SeenAmendment[];
  /** By mandate, as the test agreed them. */
  limits?: ReadonlyMap<string, Limits>;
  /** Payloads as they came from the bus, repeats included; see bus-reader.ts. */
  delivered?: readonly string[];
  /** True by default: `answers` has every answer that these Principals were given. */
  complete?: boolean;
  /** False by default: a retry may have met another gateway than the one that failed safe. */
  overruling?: boolean;
}

export interface Verdict {
  /** Empty where all is well; at most `maxViolations` sentences. */
  violations: string[];
  figures: AnswerFigures & { events: number };
}

const maxViolations = 20;
const accountedTimeoutMs = 60_000;

export async function check(evidence: Evidence & { databaseUrl: string }): Promise<Verdict> {
  return judge(await readSnapshot(evidence.databaseUrl), evidence);
}

/** The same, of what was read before. */
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
 * Resolves when every fail-safe answer has been put on record and every event has been published:
 * from then on nothing may be missing any more. Where the bus may have lost what it had, `readBus`
 * says what it holds, and all that was published has to be there again.
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
      return snapshot.outbox.every(({ eventId }) => held.has(eventId));
    },
    { timeoutMs: accountedTimeoutMs, what: 'everything answered and recorded to be accounted for' },
  );
}

/** Where the ledger of an installation keeps one environment. */
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
