import { randomBytes } from 'node:crypto';
import { newId } from '@countersign/kernel/id';
import { Metrics } from '@countersign/runtime/metrics';
import { createTestDatabases, until } from '@countersign/runtime/testing';
import t, { test } from 'tap';
import type { Chain } from '../chain.js';
import { readChains } from '../chain-settings.js';
import { checkSettlement } from '../check.js';
import { Prisma } from '../generated/prisma/client.js';
import { readOpenRow } from '../open-row.js';
import { settlementMetrics } from '../settlement-metrics.js';
import { lockAuthorizationSql, transitionSql } from '../sql.js';
import { startService } from './settlement-service.js';
import { startTestLedger } from './test-ledger.js';

const databases = await createTestDatabases('settlement');
const ledger = await startTestLedger();
// Without a chain the service starts no watcher, so only the test checks settlements.
const service = await startService({ urls: databases.urls, ledger: ledger.address, env: {} });
t.teardown(async () => {
  await service.stop();
  await ledger.stop();
  await databases.drop();
});
const pool = service.context.stores.sandbox.pool;

const contract = `0x${'c'.repeat(40)}`;
const [settings] = readChains([
  {
    ...{ name: 'x-local', chain_id: 1, rpc_urls: ['http://127.0.0.1:1'], confirmations: 3 },
    assets: { USDC: { contract, decimals: 6 } },
  },
]);
if (!settings) throw new Error('no chain');
/** A chain stub on which every transaction is a confirmed transfer of 10 USDC. */
const chain: Chain = {
  isUnavailable: false,
  settings,
  head: async () => 102n,
  receipt: async () => ({
    succeeded: true,
    block: { number: 100n, hash: '0xb' },
    transfers: [{ contract, from: '0xaa', to: '0xbb', value: 10_000_000n }],
  }),
  isKnown: async () => true,
  hashAt: async () => '0xb',
  absentUntil: async () => null,
};

/** Inserts a settlement of 10 USDC that has not been checked, unless other columns say so. */
async function insertSettlement(
  authorizationId: string,
  over: Partial<Prisma.SettlementUncheckedCreateInput> = {},
): Promise<string> {
  const now = new Date();
  const { id } = await service.context.stores.sandbox.prisma.settlement.create({
    data: {
      id: newId('settlement'),
      authorizationId,
      ...{ clientId: newId('client'), principalId: newId('principal') },
      chain: settings?.name ?? '',
      txHash: `0x${randomBytes(32).toString('hex')}`,
      ...{ asset: 'USDC', counterparty: '0xbb', authorizedValue: '10', currency: 'USD' },
      ...{ requiredConfirmations: 3, nextCheckAt: now, createdAt: now },
      outcomeId: newId('outcome'),
      ...over,
    },
  });
  return id;
}

async function check(id: string, head = 102n) {
  const row = await readOpenRow(pool, id);
  if (!row) throw new Error('no settlement');
  const counted = settlementMetrics(new Metrics('test'));
  const parts = { pool, pollMs: 1_000, tracer: null, counted, onSettled: () => {} };
  const heads = { head, highest: head };
  return checkSettlement(row, chain, { ...parts, environment: 'sandbox', heads });
}

async function isLockAwaited(): Promise<boolean> {
  // Other tests use other databases of the same server, whose locks must not count.
  const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  return (await pool.query(waiting)).rows.length > 0;
}

test('of two concurrent transfers of the full approved value, one settles', async (t) => {
  const authorizationId = newId('authorization');
  const one = await insertSettlement(authorizationId);
  const other = await insertSettlement(authorizationId);
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query(lockAuthorizationSql, [authorizationId]);
  const all = '10000000';
  const values = [
    one,
    'SETTLED',
    null,
    false,
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
  await client.query(transitionSql, values);
  let isDone = false;
  const checking = check(other).finally(() => {
    isDone = true;
  });
  await until(async () => isDone || (await isLockAwaited()), { what: 'the other check to wait' });
  await client.query('COMMIT');
  client.release();
  t.equal(await checking, null, 'its observation is outdated');
  t.match(await check(other), { status: 'FAILED', failureReason: 'TRANSFER_MISMATCH' });
  t.match(await check(await insertSettlement(newId('authorization'))), { status: 'SETTLED' });
});

test('a transfer that has not settled takes nothing of the approved value', async (t) => {
  const authorizationId = newId('authorization');
  const one = await insertSettlement(authorizationId);
  const other = await insertSettlement(authorizationId);
  t.match(await check(one, 101n), { status: 'PENDING' });
  t.match(await check(other, 101n), { status: 'PENDING' }, 'the first may never settle');
  t.match(await check(other), { status: 'SETTLED' });
  t.match(await check(one), { status: 'FAILED', failureReason: 'TRANSFER_MISMATCH' });
});

test('a settlement is later than those before it, even if the clock was set back', async (t) => {
  const authorizationId = newId('authorization');
  const authorizedValue = new Prisma.Decimal(20);
  const settledAt = new Date(Date.now() + 3_600_000);
  const transferredRaw = new Prisma.Decimal(10_000_000);
  const settled = { status: 'SETTLED', settledAt, transferredRaw };
  await insertSettlement(authorizationId, { authorizedValue, ...settled });
  const id = await insertSettlement(authorizationId, { authorizedValue });
  t.match(await check(id), { status: 'SETTLED' });
  const { settlement } = service.context.stores.sandbox.prisma;
  const later = await settlement.findUniqueOrThrow({ where: { id } });
  t.ok(Number(later.settledAt) > settledAt.getTime(), 'the ledger keeps the latest total');
  const ofAnother = await insertSettlement(newId('authorization'));
  t.match(await check(ofAnother), { status: 'SETTLED' });
  const own = await settlement.findUniqueOrThrow({ where: { id: ofAnother } });
  t.ok(Number(own.settledAt) < settledAt.getTime(), 'another authorization has times of its own');
});
