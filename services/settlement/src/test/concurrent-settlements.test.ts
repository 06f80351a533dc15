import { randomBytes } from 'node:crypto';
import { newId } from '@countersign/kernel/id';
import { createTestDatabases, until } from '@countersign/runtime/testing';
import t, { test } from 'tap';
import type { Chain } from '../chain.js';
import { readChains } from '../chain-settings.js';
import { checkSettlement, readOpenRow } from '../check.js';
import { settleAloneSql, stepSql } from '../sql.js';
import { startLedger } from './ledger-in-test.js';
import { startService } from './settlement-service.js';

const databases = await createTestDatabases('settlement');
const ledger = await startLedger();
// Without a chain nobody looks but the test.
const service = await startService({ urls: databases.urls, ledger: ledger.address, env: {} });
t.teardown(async () => {
  await service.stop();
  await ledger.stop();
  await databases.drop();
});
const pool = service.context.pools.sandbox;

const contract = `0x${'c'.repeat(40)}`;
const [settings] = readChains([
  {
    ...{ name: 'x-local', chain_id: 1, rpc_urls: ['http://127.0.0.1:1'], confirmations: 3 },
    assets: { USDC: { contract, decimals: 6 } },
  },
]);
if (!settings) throw new Error('no chain');
/** Every transaction on it moves 10 USDC, in a block that is deep enough. */
const chain: Chain = {
  settings,
  head: async () => 102n,
  receipt: async () => ({
    succeeded: true,
    block: { number: 100n, hash: '0xb' },
    transfers: [{ contract, from: '0xaa', to: '0xbb', value: 10_000_000n }],
  }),
  isKnown: async () => true,
  isCanonical: async () => true,
};

/** Reported for 10 USDC, and not looked at yet. */
async function newSettlement(authorizationId: string): Promise<string> {
  const now = new Date();
  const { id } = await service.context.prisma.sandbox.settlement.create({
    data: {
      id: newId('settlement'),
      authorizationId,
      ...{ clientId: newId('client'), principalId: newId('principal') },
      chain: settings?.name ?? '',
      txHash: `0x${randomBytes(32).toString('hex')}`,
      ...{ asset: 'USDC', counterparty: '0xbb', authorizedValue: '10', currency: 'USD' },
      ...{ requiredConfirmations: 3, nextCheckAt: now, createdAt: now },
      outcomeId: newId('outcome'),
    },
  });
  return id;
}

async function look(id: string) {
  const row = await readOpenRow(pool, id);
  if (!row) throw new Error('no settlement');
  const parts = { pool, pollMs: 1_000, tracer: null, settled: () => {} };
  const heads = { head: 102n, highest: 102n };
  return checkSettlement(row, chain, { ...parts, environment: 'sandbox', heads });
}

async function isWaited(): Promise<boolean> {
  // Locks of other databases of the server, where other tests run, are none of these.
  const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  return (await pool.query(waiting)).rows.length > 0;
}

test('of two transfers of all that was approved, at one time, one settles', async (t) => {
  const authorizationId = newId('authorization');
  const [one, other] = [await newSettlement(authorizationId), await newSettlement(authorizationId)];
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query(settleAloneSql, [authorizationId]);
  const all = '10000000';
  const values = [
    one,
    'SETTLED',
    null,
    3,
    '100',
    '0xb',
    all,
    true,
    0,
    'SUBMITTED',
    null,
    null,
    all,
  ];
  await client.query(stepSql, values);
  let isDone = false;
  const looking = look(other).finally(() => {
    isDone = true;
  });
  await until(async () => isDone || (await isWaited()), { what: 'the other to wait' });
  await client.query('COMMIT');
  client.release();
  t.equal(await looking, null, 'what it saw is true no more');
  t.match(await look(other), { status: 'FAILED', failureReason: 'TRANSFER_MISMATCH' });
  t.match(await look(await newSettlement(newId('authorization'))), { status: 'SETTLED' });
});
