import { inTransaction, type Pool } from '@countersign/runtime/database';
import type { Chain } from './chain.js';
import { assetOf } from './chain-settings.js';
import type { OpenRow } from './open-row.js';
import { claimSql, lockAuthorizationSql, transitionSql } from './sql.js';
import { claimedElsewhere, type Status, type Transition } from './status.js';
import { baseUnits } from './transfer.js';

/** The result of a check, and the time until the next one. */
interface Checked {
  row: OpenRow;
  transition: Transition;
  pauseMs: number;
}

/**
 * Returns what was written: a settlement that had failed provisionally fails again if another
 * authorization has claimed its transaction meanwhile. Null if a concurrent check has changed the
 * settlement, or if the claim has just ended.
 */
export async function writeTransition(
  pool: Pool,
  chain: Chain,
  checked: Checked,
): Promise<Transition | null> {
  const { row, transition } = checked;
  try {
    return (await write(pool, chain, checked)) ? transition : null;
  } catch (error) {
    if (!isClaimed(error)) throw error;
    const { rows } = await pool.query<{ status: Status }>(claimSql, [row.id]);
    const [claim] = rows;
    if (!claim) return null;
    const failure = claimedElsewhere(transition, claim.status);
    return (await write(pool, chain, { ...checked, transition: failure })) ? failure : null;
  }
}

function isClaimed(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'settlement_tx_hash_held';
}

async function write(
  pool: Pool,
  { settings }: Chain,
  { row, transition, pauseMs }: Checked,
): Promise<boolean> {
  const asset = assetOf(settings, row.asset);
  const isSettled = transition.status === 'SETTLED';
  const values = [
    row.id,
    transition.status,
    transition.failureReason,
    transition.isProvisional,
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
