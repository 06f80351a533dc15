import { inTransaction, type Pool, type PoolClient } from '@countersign/runtime/database';
import type { CodeHasher } from './code-hasher.js';
import type { Contact } from './contact.js';
import {
  giveAddressBackSql,
  giveClientBackSql,
  takeForAddressSql,
  takeForClientSql,
} from './sql.js';

/** Rate limits for one-time codes. */
export interface CodeLimits {
  /** Per address, in any ten minutes and in any day. */
  addressTenMinutes: number;
  addressDay: number;
  /** Per Client, in an hour that begins with its first code. */
  clientHour: number;
}

/** Permission to send one code, already counted. */
export interface Allowance {
  clientId: string;
  since: Date;
  address: Buffer;
  at: Date;
}

export type LimitReached = 'address_limit' | 'client_limit';

interface AllowanceParts {
  pool: Pool;
  hasher: CodeHasher;
  limits: CodeLimits;
}

/**
 * Counts a code before it is sent, so that the limits hold across replicas. The Client is always
 * counted before the address: one order of locks cannot deadlock.
 */
export function takeAllowance(
  { pool, hasher, limits }: AllowanceParts,
  { clientId, contact }: { clientId: string; contact: Contact },
): Promise<Allowance | LimitReached> {
  const address = hasher.addressee(inboxOf(contact));
  const { addressTenMinutes, addressDay, clientHour } = limits;
  return inTransaction(pool, async (client) => {
    const since = await countedAs(client, takeForClientSql, [clientId, clientHour]);
    if (!since) return 'client_limit';
    const at = await countedAs(client, takeForAddressSql, [address, addressTenMinutes, addressDay]);
    if (at) return { clientId, since, address, at };
    await client.query(giveClientBackSql, [clientId, since]);
    return 'address_limit';
  });
}

/** For a code that was certainly not sent. */
export async function giveAllowanceBack(pool: Pool, allowance: Allowance): Promise<void> {
  const { clientId, since, address, at } = allowance;
  await inTransaction(pool, async (client) => {
    await client.query(giveClientBackSql, [clientId, since]);
    await client.query(giveAddressBackSql, [address, at]);
  });
}

async function countedAs(client: PoolClient, sql: string, values: unknown[]): Promise<Date | null> {
  const { rows } = await client.query<{ value: Date }>(sql, values);
  return rows[0]?.value ?? null;
}

/** A tag follows the name of the mailbox, so a plus that begins an address begins none. */
const tag = /(?<=.)\+[^@]*(?=@)/;

/** The mailbox without its tag: `ada+1@…` and `ada+2@…` reach the same person. */
function inboxOf({ channel, to }: Contact): string {
  return channel === 'sms' ? to : to.toLowerCase().replace(tag, '');
}
