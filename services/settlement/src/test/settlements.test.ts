import { newId } from '@countersign/kernel/id';
import type { Tenant } from '@countersign/proto/conventions';
import type { ReportSettlementRequestInput, SettlementRecord } from '@countersign/proto/settlement';
import { createTestDatabases, until } from '@countersign/runtime/testing';
import t, { test } from 'tap';
import { startEvmNode } from './evm-node.js';
import { startRpcProxy } from './rpc-proxy.js';
import { callOptions, faultOf, newTenant, startService } from './settlement-service.js';
import { type Approval, startTestLedger } from './test-ledger.js';

const databases = await createTestDatabases('settlement');
const ledger = await startTestLedger();
const node = await startEvmNode();
const token = await node.deployToken();
const [, payer = '', shop = '', otherAccount = ''] = node.accounts;

const usdc = { USDC: { contract: token, decimals: 6 } };
const anvil = {
  name: 'anvil',
  chain_id: 31337,
  rpc_urls: [node.url],
  confirmations: 6,
  assets: usdc,
};
const unreachable = { ...anvil, name: 'unreachable-local', rpc_urls: ['http://127.0.0.1:1'] };
const wrong = { ...anvil, name: 'wrong-local', chain_id: 1 };
const proxy = await startRpcProxy(node.url);
const proxied = { ...anvil, name: 'proxied-local', rpc_urls: [proxy.url] };
const env = { CHAINS_SANDBOX: JSON.stringify([anvil, unreachable, wrong, proxied]) };
let service = await startService({ urls: databases.urls, ledger: ledger.address, env });
const { pool } = service.context.stores.sandbox;

t.teardown(async () => {
  await service.stop();
  await proxy.stop();
  await node.stop();
  await ledger.stop();
  await databases.drop();
});

function authorize(tenant: Tenant, over: Partial<Approval> = {}): string {
  return ledger.authorize(tenant, { counterparty: shop, ...over });
}

const pay = (value = 10_000_000n, to = shop) => node.transfer({ token, from: payer, to, value });

function report(tenant: Tenant, over: ReportSettlementRequestInput) {
  const request = { id: newId('settlement'), tenant, chain: 'anvil', ...over };
  return service.call.ReportSettlement(request, callOptions);
}

async function list(tenant: Tenant, authorizationId: string): Promise<SettlementRecord[]> {
  const { settlements } = await service.call.ListSettlements(
    { tenant, authorizationId },
    callOptions,
  );
  return settlements;
}

function untilMatches(
  tenant: Tenant,
  authorizationId: string,
  expected: Partial<SettlementRecord>,
) {
  return until(
    async () => {
      const [found] = await list(tenant, authorizationId);
      const same = Object.entries(expected).every(
        ([key, value]) => found?.[key as keyof SettlementRecord] === value,
      );
      return same && found ? found : null;
    },
    { what: JSON.stringify(expected) },
  );
}

const unknownHash = () =>
  `0x${newId('event')
    .padEnd(64, '0')
    .replace(/[^0-9a-f]/g, '1')
    .slice(0, 64)}`;

test('in an environment without chains every call is forbidden', async (t) => {
  const live = { ...callOptions, environment: 'live' as const };
  const tenant = newTenant();
  const off = { kind: 'forbidden', code: 'ERROR', message: /not enabled in this environment/ };
  const request = { id: newId('settlement'), tenant, authorizationId: 'x', txHash: unknownHash() };
  t.match(await faultOf(service.call.ReportSettlement({ ...request, chain: 'base' }, live)), off);
  t.match(await faultOf(service.call.ListSettlements({ tenant, authorizationId: 'x' }, live)), off);
});

test('a transfer goes from SUBMITTED through PENDING to SETTLED, reported once', async (t) => {
  const tenant = newTenant();
  const authorizationId = authorize(tenant);
  t.teardown(() => node.automine(true));
  await node.automine(false);
  const txHash = await pay();
  const { settlement, created } = await report(tenant, { authorizationId, txHash });
  t.equal(created, true);
  t.match(settlement, { status: 'SUBMITTED', confirmations: 0, requiredConfirmations: 6, txHash });
  t.notOk(settlement?.blockNumber);
  await node.include(txHash);
  await untilMatches(tenant, authorizationId, { status: 'PENDING' });
  const head = Number(await node.rpc<string>('eth_blockNumber'));
  const { blockNumber } = await untilMatches(tenant, authorizationId, { status: 'PENDING' });
  const confirmations = head - Number(blockNumber) + 1;
  await untilMatches(tenant, authorizationId, { status: 'PENDING', confirmations });
  t.equal(ledger.reports.length, 0);
  await node.mine(6 - confirmations);
  const settled = await untilMatches(tenant, authorizationId, {
    status: 'SETTLED',
    confirmations: 6,
  });
  t.ok(settled.settledAt);
  await until(() => ledger.reports.length === 1);
  t.has(ledger.reports[0], {
    authorizationId,
    outcomeType: 'SETTLED',
    reportedBy: 'INTERNAL',
    settledAmount: '10.00',
    settledCurrency: 'USD',
    settledAt: settled.settledAt,
    chainId: '31337',
    txHash,
  });
  const upperCase = `0x${txHash.slice(2).toUpperCase()}`;
  const again = await report(tenant, { authorizationId, txHash: upperCase });
  t.match(again, { created: false, settlement: { id: settled.id, status: 'SETTLED' } });
});

test('concurrent identical reports create one settlement', async (t) => {
  const tenant = newTenant();
  const authorizationId = authorize(tenant);
  const txHash = await pay();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => report(tenant, { authorizationId, txHash })),
  );
  t.equal(new Set(answers.map(({ settlement }) => settlement?.id)).size, 1);
  t.equal(answers.filter(({ created }) => created).length, 1);
  const id = answers[0]?.settlement?.id ?? '';
  t.equal((await report(tenant, { id, authorizationId, txHash })).created, true, 'a repeated call');
});

test('a transfer that differs from the approved one fails', async (t) => {
  const cases: Array<[what: string, over: Partial<Approval>, claim: object, hash: string]> = [
    ['of a higher value', {}, {}, await pay(10_000_001n)],
    ['to somebody else', {}, {}, await pay(1n, otherAccount)],
    ['from somebody else', { fromAddress: otherAccount }, {}, await pay()],
    ['not from the address reported', {}, { fromAddress: otherAccount }, await pay()],
    ['not to the address reported', {}, { toAddress: otherAccount }, await pay()],
    ['of another value than reported', {}, { valueRaw: '9999999' }, await pay()],
  ];
  for (const [what, over, claim, txHash] of cases) {
    const tenant = newTenant();
    const authorizationId = authorize(tenant, over);
    const { settlement } = await report(tenant, { authorizationId, txHash, ...claim });
    t.match(settlement, { status: 'FAILED', failureReason: 'TRANSFER_MISMATCH' }, what);
  }
  const tenant = newTenant();
  const authorizationId = authorize(tenant);
  const other = await node.deployToken();
  const txHash = await node.transfer({ token: other, from: payer, to: shop, value: 1n });
  const { settlement } = await report(tenant, { authorizationId, txHash });
  t.match(settlement, { status: 'FAILED' }, 'of another token');
  const exact = { fromAddress: payer.toLowerCase(), toAddress: shop, valueRaw: '2500000' };
  const good = { authorizationId, txHash: await pay(2_500_000n), ...exact };
  t.match((await report(tenant, good)).settlement, { status: 'PENDING' }, 'less than approved');
});

test('several transfers can settle one authorization, up to its approved value', async (t) => {
  const tenant = newTenant();
  const authorizationId = authorize(tenant);
  const totals = () =>
    ledger.reports
      .filter((each) => each.authorizationId === authorizationId)
      .map(({ settledAmount }) => settledAmount);
  for (const [value, total] of [
    [4_000_000n, '4.00'],
    [5_000_000n, '9.00'],
  ] as const) {
    const txHash = await pay(value);
    await report(tenant, { authorizationId, txHash });
    await node.mine(5);
    await until(() => totals().at(-1) === total, { what: `a total of ${total}` });
  }
  const third = await report(tenant, { authorizationId, txHash: await pay(1_000_001n) });
  t.match(third.settlement, { status: 'FAILED', failureReason: 'TRANSFER_MISMATCH' });
  const rest = await report(tenant, { authorizationId, txHash: await pay(1_000_000n) });
  t.match(rest.settlement, { status: 'PENDING' }, 'the remaining value');
  await node.mine(5);
  await until(() => totals().at(-1) === '10.00', { what: 'the full value' });
});

test('a reverted transaction fails', async (t) => {
  const tenant = newTenant();
  const authorizationId = authorize(tenant);
  const txHash = await pay(0n);
  const { settlement } = await report(tenant, { authorizationId, txHash });
  t.match(settlement, { status: 'FAILED', failureReason: 'REVERTED', settledAt: undefined });
});

test('a settlement returns to SUBMITTED if a reorganisation removes its transaction', async (t) => {
  const tenant = newTenant();
  const authorizationId = authorize(tenant);
  const txHash = await pay();
  await report(tenant, { authorizationId, txHash });
  await untilMatches(tenant, authorizationId, { status: 'PENDING' });
  await node.rpc('anvil_reorg', [1, []]);
  await node.rpc('anvil_dropTransaction', [txHash]);
  const back = await untilMatches(tenant, authorizationId, { status: 'SUBMITTED' });
  t.match(back, { confirmations: 0, blockNumber: undefined });
  await node.mine(5);
  const still = await untilMatches(tenant, authorizationId, { status: 'SUBMITTED' });
  t.notOk(still.settledAt);
});

test('a transaction is followed into another block of the same height', async (t) => {
  const tenant = newTenant();
  const authorizationId = authorize(tenant);
  const txHash = await pay();
  await report(tenant, { authorizationId, txHash });
  await untilMatches(tenant, authorizationId, { status: 'PENDING' });
  const read = 'SELECT block_hash FROM settlement WHERE tx_hash = $1';
  const hash = async () => (await pool.query(read, [txHash])).rows[0]?.block_hash;
  const before = await hash();
  const raw = await node.rpc<string>('eth_getRawTransactionByHash', [txHash]);
  await node.rpc('anvil_reorg', [1, [[raw, 0]]]);
  await until(async () => {
    const now = await hash();
    return now !== null && now !== before;
  });
  await node.mine(5);
  t.match(await untilMatches(tenant, authorizationId, { status: 'SETTLED' }), { confirmations: 6 });
});

test('a transaction that reverted settles if a reorganisation lets it succeed', async (t) => {
  const tenant = newTenant();
  const authorizationId = authorize(tenant);
  const code = await node.rpc<string>('eth_getCode', [token, 'latest']);
  await node.rpc('anvil_setCode', [token, '0x60006000fd']);
  const txHash = await pay();
  const { settlement } = await report(tenant, { authorizationId, txHash });
  t.match(settlement, { status: 'FAILED', failureReason: 'REVERTED', confirmations: 1 });
  const raw = await node.rpc<string>('eth_getRawTransactionByHash', [txHash]);
  await node.rpc('anvil_reorg', [1, []]);
  await node.rpc('anvil_setCode', [token, code]);
  await node.rpc('eth_sendRawTransaction', [raw]);
  await untilMatches(tenant, authorizationId, { status: 'PENDING', failureReason: undefined });
  await node.mine(5);
  t.match(await untilMatches(tenant, authorizationId, { status: 'SETTLED' }), { confirmations: 6 });
});

test('a transaction settles one authorization; a failed report does not claim it', async (t) => {
  const tenant = newTenant();
  const other = newTenant();
  const txHash = await pay();
  const theirs = authorize(other, { counterparty: otherAccount });
  t.match((await report(other, { authorizationId: theirs, txHash })).settlement, {
    status: 'FAILED',
  });
  const authorizationId = authorize(tenant);
  t.match(await report(tenant, { authorizationId, txHash }), { created: true });
  for (const who of [tenant, other]) {
    const reused = report(who, { authorizationId: authorize(who), txHash });
    t.match(await faultOf(reused), { kind: 'malformed', message: /another authorization\.$/ });
  }
});

test("only the caller's approved crypto transfers can be settled", async (t) => {
  const tenant = newTenant();
  const txHash = unknownHash();
  const refused = async (authorizationId: string, over: ReportSettlementRequestInput = {}) =>
    faultOf(report(tenant, { authorizationId, txHash, ...over }));
  const bad = { kind: 'malformed', code: 'BAD_REQUEST' };
  t.match(await refused(newId('authorization')), bad);
  t.match(await refused(authorize(newTenant())), bad);
  t.match(await refused(authorize(tenant, { decision: 'DECLINE' })), bad);
  t.match(await refused(authorize(tenant, { decision: 'STEP_UP' })), bad);
  t.match(await refused(authorize(tenant, { rail: 'CARD' })), bad);
  t.match(await refused(authorize(tenant, { operation: 'approve' })), bad);
  const invalid = (message: RegExp) => ({ kind: 'invalid', code: 'VALIDATION_ERROR', message });
  t.match(await refused(authorize(tenant), { chain: 'solana' }), invalid(/; use anvil, /));
  t.match(await refused(authorize(tenant, { chain: 'unreachable-local' })), invalid(/is for/));
  t.match(await refused(authorize(tenant, { asset: 'EURC' })), invalid(/on anvil; use USDC\.$/));
  const ofNobody = service.call.ListSettlements(
    { tenant, authorizationId: newId('authorization') },
    callOptions,
  );
  t.match(await faultOf(ofNobody), { kind: 'not_found' });
  t.same(await list(tenant, authorize(tenant)), []);
});

test('an asset that was authorized in lower case is settled like any other', async (t) => {
  const tenant = newTenant();
  const authorizationId = authorize(tenant, { asset: 'usdc' });
  await report(tenant, { authorizationId, txHash: await pay() });
  const read = 'SELECT asset FROM settlement WHERE authorization_id = $1';
  t.same((await pool.query(read, [authorizationId])).rows, [{ asset: 'USDC' }]);
  await node.mine(5);
  await untilMatches(tenant, authorizationId, { status: 'SETTLED' });
  const outcome = () => ledger.reports.find((each) => each.authorizationId === authorizationId);
  t.has(await until(outcome), { settledAmount: '10.00', settledCurrency: 'USD' });
});

test('a report remains SUBMITTED if its chain is unavailable', async (t) => {
  for (const chain of ['unreachable-local', 'wrong-local']) {
    const tenant = newTenant();
    const authorizationId = authorize(tenant, { chain });
    const txHash = await pay();
    const { settlement, created } = await report(tenant, { authorizationId, txHash, chain });
    t.match({ settlement, created }, { settlement: { status: 'SUBMITTED' }, created: true }, chain);
  }
});

test('after an inconclusive check the next one does not wait for the lease to end', async (t) => {
  const nextCheck = 'SELECT next_check_at AS at FROM settlement WHERE tx_hash = $1';
  for (const mode of ['lagging', 'failing'] as const) {
    const tenant = newTenant();
    const chain = proxied.name;
    const elsewhere = {
      authorizationId: authorize(tenant, { chain }),
      txHash: unknownHash(),
      chain,
    };
    // This check sets the head that the lagging node keeps reporting.
    t.match((await report(tenant, elsewhere)).settlement, { status: 'SUBMITTED' });
    proxy.mode = mode;
    const authorizationId = authorize(tenant, { chain });
    const txHash = await pay();
    const { settlement } = await report(tenant, { authorizationId, txHash, chain });
    t.match(settlement, { status: 'SUBMITTED', confirmations: 0 }, mode);
    const times = new Set<number>();
    const isCheckedAgain = async () => {
      const { rows } = await pool.query<{ at: Date }>(nextCheck, [txHash]);
      if (rows[0]) times.add(rows[0].at.getTime());
      // Set by the report, by the first lease, and by its release or the next lease.
      return times.size >= 3;
    };
    await until(isCheckedAgain, { what: `a second check, ${mode}` });
    proxy.mode = 'forwarding';
    await untilMatches(tenant, authorizationId, { status: 'PENDING' });
  }
});

test('a transaction that is not found for a day fails', async (t) => {
  const tenant = newTenant();
  const authorizationId = authorize(tenant);
  const txHash = unknownHash();
  await report(tenant, { authorizationId, txHash });
  const age = (hours: number) =>
    pool.query(
      `UPDATE settlement SET created_at = now() - $2::int * interval '1 hour', next_check_at = now()
       WHERE tx_hash = $1`,
      [txHash, hours],
    );
  await age(23);
  // A time after the end of any lease was set at the end of a check.
  const checked = `SELECT next_check_at > now() + interval '45 seconds' AS later
    FROM settlement WHERE tx_hash = $1`;
  await until(async () => (await pool.query(checked, [txHash])).rows[0]?.later);
  t.match(await list(tenant, authorizationId), [{ status: 'SUBMITTED' }]);
  await age(25);
  const failed = { status: 'FAILED', failureReason: 'NOT_FOUND_TIMEOUT' };
  t.match(await untilMatches(tenant, authorizationId, failed), failed);
});

test('an outcome is reported after an outage of the ledger and a restart', async (t) => {
  const tenant = newTenant();
  const authorizationId = authorize(tenant);
  const outcomes = () =>
    ledger.reports.filter((one) => one.authorizationId === authorizationId).length;
  ledger.unavailable = true;
  const txHash = await pay();
  await node.mine(6);
  await report(tenant, { authorizationId, txHash });
  await untilMatches(tenant, authorizationId, { status: 'SETTLED' });
  t.equal(outcomes(), 0);
  await service.stop();
  ledger.unavailable = false;
  service = await startService({ urls: databases.urls, ledger: ledger.address, env });
  const restarted = service.context.stores.sandbox.pool;
  await restarted.query('UPDATE settlement SET next_check_at = now() WHERE outcome_due');
  await until(() => outcomes() === 1);
  const left = 'SELECT count(*)::int AS due FROM settlement WHERE outcome_due';
  await until(async () => (await restarted.query(left)).rows[0]?.due === 0);
  t.equal(outcomes(), 1);
});

test('the process serves readiness and metrics', async (t) => {
  const ready = await fetch(`${service.healthUrl}/readyz`);
  t.equal(ready.status, 200);
  // The watcher counts its own checks, not the first one, which a report makes itself.
  const tenant = newTenant();
  await report(tenant, { authorizationId: authorize(tenant), txHash: unknownHash() });
  const metrics = async () => (await fetch(`${service.healthUrl}/metrics`)).text();
  const checks = /countersign_settlement_looks_total\{chain="anvil",status="SUBMITTED"/;
  await until(async () => checks.test(await metrics()), { what: 'a check in /metrics' });
});

t.end();
