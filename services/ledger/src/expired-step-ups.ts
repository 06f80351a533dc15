import { isoTime } from '@countersign/kernel/clock';
import type { Environment } from '@countersign/kernel/environment';
import type { BusEvent } from '@countersign/kernel/event';
import { Decimal } from '@countersign/kernel/money';
import { inTransaction, type Pool } from '@countersign/runtime/database';
import { addToOutbox } from '@countersign/runtime/outbox';
import { amendedEvent } from './amendment.js';
import { recordedAmount } from './recorded-amount.js';
import { takeExpiredSql } from './sql.js';

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

export interface ExpiryParts {
  environment: Environment;
  pool: Pool;
  /** Nothing more is begun once it is aborted. */
  signal?: AbortSignal;
}

const toldAtOnce = 500;
/** One pass takes no longer, so that it keeps no other chore from its turn. */
const longestMs = 30_000;

/**
 * Tells once of each challenge that nobody answered in time: nothing is appended to its record,
 * which says itself when it expires, but scores weigh it. Returns how many.
 */
export async function tellExpired(parts: ExpiryParts): Promise<number> {
  const endsAt = performance.now() + longestMs;
  let told = 0;
  let some = toldAtOnce;
  while (some === toldAtOnce && !parts.signal?.aborted && performance.now() < endsAt) {
    some = await tellSome(parts);
    told += some;
  }
  return told;
}

function tellSome({ environment, pool }: ExpiryParts): Promise<number> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<ExpiredRow>(takeExpiredSql, [toldAtOnce]);
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
