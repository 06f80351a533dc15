import type {
  AmendedAuthorization,
  BusEvent,
  RecordedAuthorization,
} from '@countersign/kernel/event';
import { formatAmount } from '@countersign/kernel/money';
import type { Pool, PoolClient } from '@countersign/runtime/database';
import { addChallengeSql, forgetCodeSql } from './sql.js';

/** A pending step-up, with the fields that its code needs. */
export interface Challenge {
  authorizationId: string;
  clientId: string;
  principalId: string;
  amount: string;
  currency: string;
  /** ISO time. */
  expiresAt: string;
}

/** The challenge that a decision opens; null if it opens none. */
export function challengeOf(event: BusEvent): Challenge | null {
  if (event.type !== 'authorization.recorded') return null;
  const { clientId, principalId } = event;
  const recorded = event.data as RecordedAuthorization;
  const { decision, authorizationId, amount, currency, stepUpExpiresAt: expiresAt } = recorded;
  if (decision !== 'STEP_UP' || !expiresAt || !clientId || !principalId) return null;
  return { authorizationId, clientId, principalId, amount, currency, expiresAt };
}

/** Queues the code of a challenge, unless it is queued already. Returns whether it was new. */
export async function addChallenge(
  client: Pool | PoolClient,
  challenge: Challenge,
): Promise<boolean> {
  const { authorizationId, clientId, principalId, amount, currency, expiresAt } = challenge;
  const { rowCount } = await client.query(addChallengeSql, [
    authorizationId,
    clientId,
    principalId,
    formatAmount(amount, currency),
    currency,
    expiresAt,
  ]);
  return (rowCount ?? 0) > 0;
}

/** Amendments that end a challenge: it was answered, or its decision was voided. */
const ends: ReadonlySet<string> = new Set(['STEP_UP_CONFIRMED', 'STEP_UP_DENIED', 'VOIDED']);

/**
 * Cancels the code of a challenge that has ended, even if that event arrives before the one that
 * opened it. Safe to repeat. The row is kept, so that its count of attempts cannot restart.
 */
export function answerListener(pool: Pool): (event: BusEvent) => Promise<void> {
  return async ({ clientId, principalId, data }) => {
    const { amendment, authorizationId, amount, currency } = data as AmendedAuthorization;
    if (!ends.has(amendment) || !clientId || !principalId) return;
    const told = formatAmount(amount, currency);
    await pool.query(forgetCodeSql, [authorizationId, clientId, principalId, told, currency]);
  };
}
