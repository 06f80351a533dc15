import { isoTime } from '@countersign/kernel/clock';
import type { Environment } from '@countersign/kernel/environment';
import type { BusEvent } from '@countersign/kernel/event';
import { Decimal } from '@countersign/kernel/money';
import { inTransaction, type Pool } from '@countersign/runtime/database';
import { addToOutbox } from '@countersign/runtime/outbox/add';
import { amendedEvent } from './amendment.js';
import { recordedAmount } from './recorded-amount.js';
import { claimExpiredSql } from './sql.js';

interface ExpiredRow {
  id: string;
  clientId: string;
  principalId: string;
  agentId: string | null;
  amount: string;
  currency: string;
  exponent: number;
  expiresAt: Date;
}

interface ExpiryParts {
  environment: Environment;
  pool: Pool;
  /** No further batch is started after an abort. */
  signal?: AbortSignal;
}

const batchSize = 500;
/** Bounds one run, so that other chores get their turn. */
const maxDurationMs = 30_000;

/**
 * Publishes one event for each challenge that expired without an answer, which lowers the agent's
 * compliance score. Nothing is appended to the record, since it contains the time of expiry.
 * Returns the number of events.
 */
export async function publishExpiredStepUps(parts: ExpiryParts): Promise<number> {
  const endsAt = performance.now() + maxDurationMs;
  let total = 0;
  let published = batchSize;
  while (published === batchSize && !parts.signal?.aborted && performance.now() < endsAt) {
    published = await publishBatch(parts);
    total += published;
  }
  return total;
}

function publishBatch({ environment, pool }: ExpiryParts): Promise<number> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<ExpiredRow>(claimExpiredSql, [batchSize]);
    await addToOutbox(
      client,
      rows.map((row) => expiredEvent(row, environment)),
    );
    return rows.length;
  });
}

function expiredEvent(
  row: ExpiredRow,
  environment: Environment,
): BusEvent<'authorization.amended'> {
  const amount = recordedAmount({ ...row, amount: new Decimal(row.amount) });
  const change = { amendment: 'STEP_UP_EXPIRED', decision: 'STEP_UP', amount } as const;
  const at = isoTime(row.expiresAt.getTime());
  return amendedEvent(row, change, { environment, requestId: null, at });
}
