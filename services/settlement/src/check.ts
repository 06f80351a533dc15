import type { Environment } from '@countersign/kernel/environment';
import { inTransaction, type Pool } from '@countersign/runtime/database';
import type { Tracer } from '@countersign/runtime/trace';
import type { Chain } from './chain.js';
import { type ObservedSettlement, observe } from './observe.js';
import { endCheck, settlementSpan, type Traced } from './settlement-span.js';
import { advanceSql, readOpenSql, settleAloneSql, stepSql } from './sql.js';
import { checkPauseMs, nextStep, type Standing, type Step } from './status.js';
import { baseUnits } from './transfer.js';

/** An open settlement as it is read for a check. */
export type OpenRow = ObservedSettlement &
  Standing &
  Traced & {
    id: string;
    authorizationId: string;
    blockHash: string | null;
    /** By the database's clock, like the times it is compared with: clocks of replicas differ. */
    readAt: Date;
  };

export interface CheckParts {
  pool: Pool;
  pollMs: number;
  environment: Environment;
  tracer: Tracer | null;
  /** Called when a settlement has become SETTLED, which is to be reported to the ledger. */
  settled: () => void;
}

/** The head of the chain now, and the highest it has ever shown to any replica. */
export async function readHeads(
  chain: Chain,
  pool: Pool,
): Promise<{ head: bigint; highest: bigint }> {
  const head = await chain.head();
  const { rows } = await pool.query<{ highest: string }>(advanceSql, [
    chain.settings.name,
    head.toString(),
  ]);
  return { head, highest: BigInt(rows[0]?.highest ?? head) };
}

/**
 * Observes the chain once and writes the step that follows. Null when that was inconclusive, or
 * when another check has written its own step meanwhile.
 */
export async function checkSettlement(
  row: OpenRow,
  chain: Chain,
  parts: CheckParts & { heads: { head: bigint; highest: bigint } },
): Promise<Step | null> {
  const span = settlementSpan(row, parts, 'look at the chain');
  const observation = await observe(chain, row, parts.heads);
  if (!observation) return null;
  const now = row.readAt.getTime();
  const step = nextStep(row, observation, now);
  const pauseMs = checkPauseMs(step.status, now - row.createdAt.getTime(), parts.pollMs);
  const isWritten = await write(parts.pool, chain, { row, step, pauseMs });
  if (!isWritten) return null;
  if (span && step.status !== row.status) endCheck(span, step, chain.settings.name);
  if (step.status === 'SETTLED') parts.settled();
  return step;
}

async function write(
  pool: Pool,
  { settings }: Chain,
  { row, step, pauseMs }: { row: OpenRow; step: Step; pauseMs: number },
): Promise<boolean> {
  const asset = settings.assets.get(row.asset);
  const isLast = step.status === 'SETTLED';
  const values = [
    row.id,
    step.status,
    step.failureReason,
    step.confirmations,
    step.block?.number.toString() ?? null,
    step.block?.hash ?? null,
    step.moved?.toString() ?? null,
    step.seen,
    isLast ? 0 : pauseMs,
    row.status,
    row.blockHash,
    row.lastSeenAt,
    asset ? baseUnits(row.authorizedValue, asset).toString() : null,
  ];
  if (!isLast) return (await pool.query(stepSql, values)).rowCount === 1;
  return inTransaction(pool, async (client) => {
    await client.query(settleAloneSql, [row.authorizationId]);
    return (await client.query(stepSql, values)).rowCount === 1;
  });
}

export async function readOpenRow(pool: Pool, id: string): Promise<OpenRow | null> {
  const { rows } = await pool.query<OpenRow>(readOpenSql, [id]);
  return rows[0] ?? null;
}
