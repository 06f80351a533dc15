import type { Environment } from '@countersign/kernel/environment';
import { inTransaction, type Pool } from '@countersign/runtime/database';
import type { Tracer } from '@countersign/runtime/trace';
import type { Chain } from './chain.js';
import { assetOf } from './chain-settings.js';
import { type ObservedSettlement, observe } from './observe.js';
import { endCheck, settlementSpan, type Traced } from './settlement-span.js';
import { advanceCursorSql, lockAuthorizationSql, readOpenSql, transitionSql } from './sql.js';
import { checkPauseMs, nextTransition, type SettlementState, type Transition } from './status.js';
import { baseUnits } from './transfer.js';

/** The columns of an open settlement that a check needs. */
export type OpenRow = ObservedSettlement &
  SettlementState &
  Traced & {
    id: string;
    authorizationId: string;
    blockHash: string | null;
    /** By the database's clock, like the times that it is compared with: replica clocks differ. */
    readAt: Date;
  };

export interface CheckParts {
  pool: Pool;
  pollMs: number;
  environment: Environment;
  tracer: Tracer | null;
  /** Called when a settlement becomes SETTLED, so that it is reported to the ledger at once. */
  onSettled: () => void;
}

/** The current head of the chain, and the highest that any replica has seen. */
export async function readHeads(
  chain: Chain,
  pool: Pool,
): Promise<{ head: bigint; highest: bigint }> {
  const head = await chain.head();
  const { rows } = await pool.query<{ highest: string }>(advanceCursorSql, [
    chain.settings.name,
    head.toString(),
  ]);
  return { head, highest: BigInt(rows[0]?.highest ?? head) };
}

/**
 * Observes the chain once and writes the resulting transition. Returns null if the observation was
 * inconclusive, or if a concurrent check has changed the settlement meanwhile.
 */
export async function checkSettlement(
  row: OpenRow,
  chain: Chain,
  parts: CheckParts & { heads: { head: bigint; highest: bigint } },
): Promise<Transition | null> {
  const span = settlementSpan(row, parts, 'check the chain');
  const observation = await observe(chain, row, parts.heads);
  if (!observation) return null;
  const now = row.readAt.getTime();
  const transition = nextTransition(row, observation, now);
  const pauseMs = checkPauseMs(transition.status, now - row.createdAt.getTime(), parts.pollMs);
  const isWritten = await write(parts.pool, chain, { row, transition, pauseMs });
  if (!isWritten) return null;
  if (span && transition.status !== row.status) endCheck(span, transition, chain.settings.name);
  if (transition.status === 'SETTLED') parts.onSettled();
  return transition;
}

async function write(
  pool: Pool,
  { settings }: Chain,
  { row, transition, pauseMs }: { row: OpenRow; transition: Transition; pauseMs: number },
): Promise<boolean> {
  const asset = assetOf(settings, row.asset);
  const isSettled = transition.status === 'SETTLED';
  const values = [
    row.id,
    transition.status,
    transition.failureReason,
    transition.confirmations,
    transition.block?.number.toString() ?? null,
    transition.block?.hash ?? null,
    transition.transferredRaw?.toString() ?? null,
    transition.seen,
    isSettled ? 0 : pauseMs,
    row.status,
    row.blockHash,
    row.lastSeenAt,
    asset ? baseUnits(row.authorizedValue, asset).toString() : null,
  ];
  if (!isSettled) return (await pool.query(transitionSql, values)).rowCount === 1;
  return inTransaction(pool, async (client) => {
    await client.query(lockAuthorizationSql, [row.authorizationId]);
    return (await client.query(transitionSql, values)).rowCount === 1;
  });
}

export async function readOpenRow(pool: Pool, id: string): Promise<OpenRow | null> {
  const { rows } = await pool.query<OpenRow>(readOpenSql, [id]);
  return rows[0] ?? null;
}
