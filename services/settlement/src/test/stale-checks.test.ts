import { newId } from '@countersign/kernel/id';
import { createPool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { createTestDatabase } from '@countersign/runtime/testing';
import t, { test } from 'tap';
import type { Chain, Receipt } from '../chain.js';
import type { ChainSettings } from '../chain-settings.js';
import { checkSettlement, type OpenRow, readOpenRow } from '../check.js';

const database = await createTestDatabase('settlement');
const log = createLog({ service: 'test', level: 'silent' });
const pool = createPool({ url: database.url, size: 2, log });
t.teardown(async () => {
  await pool.end();
  await database.drop();
});

const shop = `0x${'5'.repeat(40)}`;
const contract = `0x${'c'.repeat(40)}`;
const settings = {
  ...{ name: 'anvil', chainId: 31337, confirmations: 3 },
  assets: new Map([['USDC', { contract, decimals: 6 }]]),
} as unknown as ChainSettings;
const mined = {
  succeeded: true,
  block: { number: 10n, hash: '0xb10c' },
  transfers: [{ contract, from: `0x${'a'.repeat(40)}`, to: shop, value: 1_000_000n }],
} as unknown as Receipt;

/** A chain stub that returns this receipt for every transaction. */
function chainReturning(receipt: Receipt | null, isKnown = false): Chain {
  return {
    settings,
    head: async () => 12n,
    receipt: async () => receipt,
    isKnown: async () => isKnown,
    isCanonical: async () => true,
  };
}

/** Inserts a settlement so old that a check that finds no transaction fails it. */
async function insertOldSettlement(requiredConfirmations: number): Promise<string> {
  const id = newId('settlement');
  await pool.query(
    `INSERT INTO settlement (id, authorization_id, client_id, principal_id, chain, tx_hash, asset,
       counterparty, authorized_value, currency, required_confirmations, next_check_at, outcome_id,
       created_at)
     VALUES ($1, $1, 'cli_1', 'prn_1', 'anvil', $1, 'USDC', $2, 10, 'USD', $3, now(), $1,
       now() - interval '25 hours')`,
    [id, shop, requiredConfirmations],
  );
  return id;
}

async function read(id: string): Promise<OpenRow> {
  const row = await readOpenRow(pool, id);
  if (!row) throw new Error('the settlement does not exist');
  return row;
}

const settledIds: string[] = [];

/** Runs a check that read this row when it began. */
function check(row: OpenRow, receipt: Receipt | null, isKnown?: boolean) {
  return checkSettlement(row, chainReturning(receipt, isKnown), {
    ...{ pool, pollMs: 4_000, environment: 'live', tracer: null },
    onSettled: () => settledIds.push(row.id),
    heads: { head: 12n, highest: 12n },
  });
}

test('a check that outlasts its lease does not overwrite a newer result', async (t) => {
  const id = await insertOldSettlement(6);
  const slow = await read(id);
  const quick = await read(id);
  t.match(await check(quick, mined), { status: 'PENDING' });
  t.equal(await check(slow, null), null, 'the result would be NOT_FOUND_TIMEOUT');
  t.match(await read(id), { status: 'PENDING', blockHash: '0xb10c' });
});

test('a transaction that was seen meanwhile is not failed as one that never was', async (t) => {
  const id = await insertOldSettlement(6);
  const slow = await read(id);
  t.match(await check(await read(id), null, true), { status: 'SUBMITTED', seen: true });
  t.equal(await check(slow, null), null, 'the result would be NOT_FOUND_TIMEOUT');
  t.match(await check(await read(id), null), { status: 'SUBMITTED' }, 'for another day');
});

test('of two replicas that check a settlement concurrently, one settles it', async (t) => {
  const id = await insertOldSettlement(3);
  const rows = [await read(id), await read(id)] as const;
  const transitions = await Promise.all(rows.map((row) => check(row, mined)));
  t.equal(transitions.filter((transition) => transition?.status === 'SETTLED').length, 1);
  t.same(settledIds, [id]);
});

test('the timeout of an unknown transaction uses the clock of the database', async (t) => {
  const id = await insertOldSettlement(3);
  t.match(await check(await read(id), null), { failureReason: 'NOT_FOUND_TIMEOUT' });
  const fresh = await insertOldSettlement(3);
  await pool.query('UPDATE settlement SET last_seen_at = now() WHERE id = $1', [fresh]);
  const { now } = Date;
  t.teardown(() => {
    Date.now = now;
  });
  Date.now = () => now() + 2 * 24 * 3_600_000;
  t.match(await check(await read(fresh), null), { status: 'SUBMITTED' }, 'not our own clock');
});
