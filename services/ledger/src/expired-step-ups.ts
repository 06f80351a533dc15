import { type Clock, isoTime } from '@countersign/kernel/clock';
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
  clock: Clock;
}

const toldAtOnce = 500;
/** One pass takes no more than this, so that it cannot run into the next. */
const batchesAPass = 100;

/**
 * Tells once of each challenge that nobody answered in time: nothing is appended to its record,
 * which says itself when it expires, but scores weigh it. Returns how many.
 */
export async function tellExpired(parts: ExpiryParts): Promise<number> {
  let told = 0;
  for (let batch = 0; batch < batchesAPass; batch += 1) {
    const some = await tellSome(parts);
    told += some;
    if (some < toldAtOnce) break;
  }
  return told;
}

function tellSome({ environment, pool, clock }: ExpiryParts): Promise<number> {
  return inTransaction(pool, async (client) => {
    const values = [new Date(clock()), toldAtOnce];
    const { rows } = await client.query<ExpiredRow>(takeExpiredSql, values);
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
