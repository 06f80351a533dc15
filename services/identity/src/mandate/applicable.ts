import { rails } from '@countersign/kernel/vocabulary';
import type { MandateInput } from '@countersign/proto/identity';
import { inTransaction, type Pool } from '@countersign/runtime/database';
import type { MandateColumns } from '../spending-facts.js';
import { mandateBytes, maxMandatesBytes } from './message.js';
import { candidateMandates, mandatesByIds, newestOfRails } from './sql.js';
import { mandateView } from './view.js';

/** What determines whether a mandate can still apply to a payment. Times in epoch milliseconds. */
export interface MandateSummary {
  id: string;
  rails: string[];
  validFrom: number;
  validUntil: number;
  createdAt: number;
}

/** What is examined is bounded, and of the older ones those that last are examined first. */
const newestExamined = 1_000;
const olderExamined = 10_000;
/** Of each rail, so that many of one cannot hide those of another; see withoutSuperseded. */
const maxReturned = 100;
/** How far the clock of the decision service may be behind. */
const skewMs = 60_000;
/**
 * For how long the result has to be complete. The decision service asks again after ten minutes at
 * the latest (`AgentDirectory`), so a mandate that begins later need not be in it, nor one that
 * cannot apply before because of a newer one.
 */
const horizonMs = 3_600_000;
/**
 * The queries need one snapshot: a mandate revoked between them would be missing from the result,
 * together with the older ones that it superseded in the first query.
 */
const beginSnapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * The mandates of an agent with many that may still apply to a payment, newest first. The newest
 * mandate of each rail is always included, even if it has expired or begins later, because it
 * explains why none applies. Agents that get a mandate per purchase, or per day in advance,
 * accumulate many; these must not hide an older mandate that is still valid.
 */
export async function applicableMandates(
  pool: Pool,
  agentId: string,
  nowMs: number,
): Promise<MandateInput[]> {
  const inForce = new Set<string>();
  const { rows } = await inTransaction(
    pool,
    async (client) => {
      const between = [new Date(nowMs - skewMs), new Date(nowMs + horizonMs)];
      const mayApply = await client.query<MandateSummary>({
        ...candidateMandates,
        values: [agentId, ...between, newestExamined, olderExamined],
      });
      const selected = rails.flatMap((rail) => {
        const ofRail = mayApply.rows.filter((mandate) => mandate.rails.includes(rail));
        return withoutSuperseded(ofRail, nowMs, maxReturned);
      });
      for (const each of selected) if (isInForce(each, nowMs)) inForce.add(each.id);
      const newest = await client.query<{ id: string }>({
        ...newestOfRails,
        values: [agentId, rails, olderExamined],
      });
      const ids = [...selected, ...newest.rows].map(({ id }) => id);
      return client.query<MandateColumns>({ ...mandatesByIds, values: [agentId, ids] });
    },
    beginSnapshot,
  );
  const mandates = rows.map((record) => mandateView(record, null));
  return withinMessage(mandates, inForce);
}

/**
 * Omits mandates that a newer one supersedes on all their rails, from now until their end or the
 * horizon. Returns at most `limit` that are in force and as many others, newest first: those that
 * begin soon do not take the places of the former.
 */
export function withoutSuperseded<M extends MandateSummary>(
  newestFirst: readonly M[],
  nowMs: number,
  limit: number,
): M[] {
  const kept: M[] = [];
  const left = { inForce: limit, others: limit };
  for (const mandate of newestFirst) {
    const kind = isInForce(mandate, nowMs) ? 'inForce' : 'others';
    if (left[kind] === 0 || kept.some((newer) => supersedes(newer, mandate, nowMs))) continue;
    left[kind] -= 1;
    kept.push(mandate);
  }
  return kept;
}

function hasBegun({ validFrom, createdAt }: MandateSummary, nowMs: number): boolean {
  return validFrom <= createdAt || validFrom <= nowMs - skewMs;
}

function isInForce(mandate: MandateSummary, nowMs: number): boolean {
  return hasBegun(mandate, nowMs) && mandate.validUntil > nowMs;
}

function supersedes(newer: MandateSummary, older: MandateSummary, nowMs: number): boolean {
  return (
    hasBegun(newer, nowMs) &&
    newer.validUntil >= Math.min(older.validUntil, nowMs + horizonMs) &&
    older.rails.every((rail) => newer.rails.includes(rail))
  );
}

/** Of those that fit, the ones in force have precedence; their order stays. */
function withinMessage(
  mandates: readonly MandateInput[],
  inForce: ReadonlySet<string>,
): MandateInput[] {
  const isFirst = ({ id = '' }: MandateInput): boolean => inForce.has(id);
  let bytes = 0;
  const fits = (mandate: MandateInput): boolean => {
    bytes += mandateBytes(mandate);
    return bytes <= maxMandatesBytes;
  };
  const others = mandates.filter((each) => !isFirst(each));
  const kept = new Set([...mandates.filter(isFirst), ...others].filter(fits));
  return mandates.filter((each) => kept.has(each));
}
