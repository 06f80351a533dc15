import type { Environment } from '@countersign/kernel/environment';
import type { Pool } from '@countersign/runtime/database';
import type { Tracer } from '@countersign/runtime/trace';
import type { Chain } from './chain.js';
import { observe } from './observe.js';
import type { OpenRow } from './open-row.js';
import type { SettlementMetrics } from './settlement-metrics.js';
import { endCheck, settlementSpan } from './settlement-span.js';
import { advanceCursorSql } from './sql.js';
import { checkPauseMs, isOverdue, nextTransition, type Transition } from './status.js';
import { writeTransition } from './write-transition.js';

export interface CheckParts {
  pool: Pool;
  pollMs: number;
  environment: Environment;
  tracer: Tracer | null;
  counted: SettlementMetrics;
  /** Called when a settlement becomes SETTLED, so that it is reported to the ledger at once. */
  onSettled: () => void;
}

/** The current head of the chain, and the highest that any replica has seen. */
export interface Heads {
  head: bigint;
  highest: bigint;
}

export async function readHeads(
  chain: Chain,
  { pool, counted }: Pick<CheckParts, 'pool' | 'counted'>,
): Promise<Heads> {
  const head = await chain.head();
  counted.head.set({ chain: chain.settings.name }, Number(head));
  const { rows } = await pool.query<{ highest: string }>(advanceCursorSql, [
    chain.settings.name,
    head.toString(),
  ]);
  return { head, highest: BigInt(rows[0]?.highest ?? head) };
}

/**
 * The first check of a report counts as well, since it may be the only one, and so does one that
 * fails.
 */
export async function checkSettlement(
  row: OpenRow,
  chain: Chain,
  parts: CheckParts & { heads: Heads },
): Promise<Transition | null> {
  let transition: Transition | null = null;
  try {
    transition = await observeAndWrite(row, chain, parts);
    return transition;
  } finally {
    const status = transition?.status ?? 'UNKNOWN';
    parts.counted.checks.inc({ chain: chain.settings.name, status });
  }
}

/**
 * Observes the chain once and writes the resulting transition. Returns null if the observation was
 * inconclusive, or if a concurrent check has changed the settlement meanwhile.
 */
async function observeAndWrite(
  row: OpenRow,
  chain: Chain,
  parts: CheckParts & { heads: Heads },
): Promise<Transition | null> {
  const span = settlementSpan(row, parts, 'check the chain');
  const observation = await observe(chain, row, parts.heads);
  if (!observation) return null;
  const now = row.readAt.getTime();
  const until = observation.kind === 'absent' ? await absentUntil(row, chain, parts.heads) : now;
  const transition = nextTransition(row, observation, until);
  const pauseMs = checkPauseMs(transition.status, now - row.createdAt.getTime(), parts.pollMs);
  const written = await writeTransition(parts.pool, chain, { row, transition, pauseMs });
  if (!written) return null;
  if (span && written.status !== row.status) endCheck(span, written, chain.settings.name);
  if (written.status === 'SETTLED') parts.onSettled();
  return written;
}

/**
 * The time of the chain up to which a transaction was looked for. After an outage, a node does not
 * have the blocks of that time at first, and one of these may contain the transaction; another
 * node may have answered the head.
 */
async function absentUntil(
  { txHash, readAt, createdAt, lastSeenAt }: OpenRow,
  chain: Chain,
  { head }: { head: bigint },
): Promise<number> {
  const now = readAt.getTime();
  // Saves requests as long as their result does not matter.
  if (!isOverdue({ createdAt, lastSeenAt }, now)) return now;
  const until = await chain.absentUntil(txHash as `0x${string}`, head);
  return Math.min(now, until?.getTime() ?? 0);
}
