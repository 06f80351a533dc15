import type { Pool, PoolClient } from '@countersign/runtime/database';
import { merchantSql } from '../sql.js';
import { isApproved, type ProfileEntry } from './entry.js';

/** Somebody is paid by an agent, and the authorization that says so. */
export interface Patronage {
  agentId: string;
  merchant: string;
  authorizationId: string;
}

/** Whether an approval of the agent there is on record, as far as has been learnt. */
export async function isKnownMerchant(
  pool: Pool,
  { agentId, merchant }: Pick<Patronage, 'agentId' | 'merchant'>,
): Promise<boolean> {
  const { rowCount } = await pool.query({ ...merchantSql.find, values: [agentId, merchant] });
  return rowCount === 1;
}

/** Whom an authorization makes known, null where it approves nothing or names nobody. */
export function merchantMadeKnown(entry: ProfileEntry): string | null {
  return isApproved(entry) && !entry.voided ? (entry.decided?.merchant ?? null) : null;
}

/**
 * Forgets what an authorization taught that was taken back. Another approval there is not looked
 * for: at worst a human is asked once more.
 */
export async function forgetMerchants(
  client: PoolClient,
  takenBack: readonly Patronage[],
): Promise<void> {
  if (takenBack.length === 0) return;
  await client.query(merchantSql.remove, [
    takenBack.map(({ agentId }) => agentId),
    takenBack.map(({ merchant }) => merchant),
    takenBack.map(({ authorizationId }) => authorizationId),
  ]);
}
