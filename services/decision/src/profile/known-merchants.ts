import type { Pool, PoolClient } from '@countersign/runtime/database';
import { merchantSql } from '../sql.js';
import { isApproved, type ProfileEntry } from './entry.js';
import { isReportedAsFraud } from './trust.js';

/** A merchant that an agent has paid, with the authorization that shows it. */
export interface KnownMerchant {
  agentId: string;
  merchant: string;
  authorizationId: string;
}

/** Whether the agent has an approval there, as far as events have arrived. */
export async function isKnownMerchant(
  pool: Pool,
  { agentId, merchant }: Pick<KnownMerchant, 'agentId' | 'merchant'>,
): Promise<boolean> {
  const { rowCount } = await pool.query({ ...merchantSql.find, values: [agentId, merchant] });
  return rowCount === 1;
}

/**
 * The merchant that an authorization makes known; null if it was not approved or names none. A
 * payment that was fraud makes none known: a thief would begin with one below the threshold.
 */
export function merchantMadeKnown(entry: ProfileEntry): string | null {
  if (!isApproved(entry) || entry.voided || isReportedAsFraud(entry)) return null;
  return entry.decided?.merchant ?? null;
}

/**
 * Removes merchants that were known by an authorization that no longer counts. Does not look for
 * other approvals there: at worst a human is asked once more.
 */
export async function forgetMerchants(
  client: PoolClient,
  takenBack: readonly KnownMerchant[],
): Promise<void> {
  if (takenBack.length === 0) return;
  await client.query(merchantSql.remove, [
    takenBack.map(({ agentId }) => agentId),
    takenBack.map(({ merchant }) => merchant),
    takenBack.map(({ authorizationId }) => authorizationId),
  ]);
}
