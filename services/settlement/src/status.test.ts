import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { SettingsError, settingsTable } from '@countersign/runtime/settings';
import { test } from 'tap';
import { type Chain, openChain } from './chain.js';
import { readChains } from './chain-settings.js';
import { loadConfig, settings } from './config.js';
import { observe } from './observe.js';
import { checkPauseMs, nextTransition, type Observation, type SettlementState } from './status.js';
import { assetUnits, baseUnits, type Expected, transferResult } from './transfer.js';

const now = Date.parse('2026-03-02T00:00:00Z');
const hour = 3_600_000;
const block = { number: 100n, hash: '0xaa' };

function state(over: Partial<SettlementState> = {}): SettlementState {
  const createdAt = new Date(now - hour);
  return { status: 'SUBMITTED', requiredConfirmations: 3, createdAt, lastSeenAt: null, ...over };
}

function mined(confirmations: number, failed?: 'REVERTED' | 'TRANSFER_MISMATCH'): Observation {
  const result = failed
    ? { kind: 'failed' as const, reason: failed }
    : { kind: 'transferred' as const, transferredRaw: 5n };
  return { kind: 'mined', block, result, confirmations };
}

const table: Array<[what: string, state: SettlementState, observation: Observation, step: object]> =
  [
    ['not known yet', state(), { kind: 'absent' }, { status: 'SUBMITTED', seen: false }],
    ['not in a block yet', state(), { kind: 'waiting' }, { status: 'SUBMITTED', seen: true }],
    ['mined', state(), mined(1), { status: 'PENDING', confirmations: 1, block }],
    ['short of one confirmation', state({ status: 'PENDING' }), mined(2), { status: 'PENDING' }],
    [
      'confirmed',
      state({ status: 'PENDING' }),
      mined(3),
      { status: 'SETTLED', transferredRaw: 5n },
    ],
    ['confirmed when it is first seen', state(), mined(9), { status: 'SETTLED', confirmations: 9 }],
    [
      'removed by a reorganisation',
      state({ status: 'PENDING', lastSeenAt: new Date(now - hour) }),
      { kind: 'absent' },
      { status: 'SUBMITTED', confirmations: 0, block: null },
    ],
    ['reverted', state(), mined(1, 'REVERTED'), { status: 'FAILED', failureReason: 'REVERTED' }],
    [
      'a different transfer',
      state({ status: 'PENDING' }),
      mined(3, 'TRANSFER_MISMATCH'),
      { status: 'FAILED', failureReason: 'TRANSFER_MISMATCH' },
    ],
    [
      'never seen for a day',
      state({ createdAt: new Date(now - 24 * hour) }),
      { kind: 'absent' },
      { status: 'FAILED', failureReason: 'NOT_FOUND_TIMEOUT' },
    ],
    [
      'last seen within a day',
      state({ createdAt: new Date(now - 48 * hour), lastSeenAt: new Date(now - 23 * hour) }),
      { kind: 'absent' },
      { status: 'SUBMITTED' },
    ],
    [
      'unmined for more than a day',
      state({ createdAt: new Date(now - 48 * hour) }),
      { kind: 'waiting' },
      { status: 'SUBMITTED' },
    ],
  ];

for (const [what, from, observation, step] of table) {
  test(`a transaction that is ${what}`, async (t) => {
    t.match(nextTransition(from, observation, now), step);
  });
}

test('a transaction that is not mined is checked less and less often', async (t) => {
  t.equal(checkPauseMs('SUBMITTED', 0, 4_000), 4_000);
  t.equal(checkPauseMs('SUBMITTED', 60_000, 4_000), 7_000);
  t.equal(checkPauseMs('SUBMITTED', 20 * hour, 4_000), 60_000);
  t.equal(checkPauseMs('PENDING', 20 * hour, 4_000), 4_000);
});

test('an inconsistent observation is inconclusive', async (t) => {
  const [settings] = readChains([
    {
      ...{ name: 'x-local', chain_id: 1, rpc_urls: ['http://127.0.0.1:1'], confirmations: 3 },
      assets: { USDC: { contract: `0x${'c'.repeat(40)}`, decimals: 6 } },
    },
  ]);
  if (!settings) throw new Error('no chain');
  const moved = { contract: `0x${'c'.repeat(40)}`, from: '0xaa', to: '0xbb', value: 5n };
  const chain = (over: Partial<Chain>): Chain => ({
    settings,
    head: async () => 102n,
    receipt: async () => ({ succeeded: true, block, transfers: [moved] }),
    isKnown: async () => false,
    isCanonical: async () => true,
    ...over,
  });
  const row = {
    ...{ txHash: '0x1', asset: 'USDC', counterparty: '0xbb' },
    ...{ authorizedValue: '1', settledElsewhere: '0' },
    ...{ authorizedFrom: null, fromAddress: null, toAddress: null, valueRaw: null },
    requiredConfirmations: 3,
  };
  const at = (head: bigint, highest = head) => ({ head, highest });
  t.match(await observe(chain({}), row, at(102n)), { kind: 'mined', confirmations: 3 });
  t.match(await observe(chain({}), row, at(101n)), { kind: 'mined', confirmations: 2 });
  t.equal(await observe(chain({}), row, at(99n)), null, 'a receipt above the head');
  const stale = chain({ isCanonical: async () => false });
  t.equal(await observe(stale, row, at(102n)), null, 'a block that is no longer canonical');
  t.match(await observe(stale, row, at(101n)), { kind: 'mined' }, 'not checked before it settles');
  const gone = chain({ receipt: async () => null });
  t.equal(await observe(gone, row, at(101n, 102n)), null, 'a node that lags behind');
  t.match(await observe(gone, row, at(102n)), { kind: 'absent' });
  t.match(await observe(chain({ ...gone, isKnown: async () => true }), row, at(102n)), {
    kind: 'waiting',
  });
  t.equal(await observe(chain({}), { ...row, asset: 'EURC' }, at(102n)), null);
});

const expected: Expected = {
  contract: '0xC0',
  counterparty: '0xBb',
  from: [],
  to: [],
  atMost: 10n,
  exactly: null,
};
const transfer = { contract: '0xc0', from: '0xaa', to: '0xbb', value: 10n };

test('a transfer must match all criteria', async (t) => {
  const resultOf = (over: Partial<typeof transfer>, criteria: Partial<Expected> = {}) => {
    const result = transferResult(true, [{ ...transfer, ...over }], { ...expected, ...criteria });
    return result.kind === 'failed' ? result.reason : result.transferredRaw;
  };
  t.equal(resultOf({}), 10n);
  t.equal(resultOf({ value: 3n }), 3n, 'less than the approved value');
  t.equal(resultOf({ value: 11n }), 'TRANSFER_MISMATCH');
  t.equal(resultOf({ value: 0n }), 'TRANSFER_MISMATCH');
  t.equal(resultOf({ contract: '0xc1' }), 'TRANSFER_MISMATCH');
  t.equal(resultOf({ to: '0xcc' }), 'TRANSFER_MISMATCH');
  t.equal(resultOf({}, { from: ['0xAA', '0xaa'] }), 10n);
  t.equal(resultOf({}, { from: ['0xaa', '0xab'] }), 'TRANSFER_MISMATCH');
  t.equal(resultOf({}, { to: ['0xBB'] }), 10n);
  t.equal(resultOf({}, { to: ['0xcc'] }), 'TRANSFER_MISMATCH');
  t.equal(resultOf({}, { exactly: 10n }), 10n);
  t.equal(resultOf({ value: 9n }, { exactly: 10n }), 'TRANSFER_MISMATCH');
  t.match(transferResult(false, [transfer], expected), { reason: 'REVERTED' });
  t.match(transferResult(true, [], expected), { reason: 'TRANSFER_MISMATCH' });
  const other = { ...transfer, to: '0xdd' };
  t.match(
    transferResult(true, [other, transfer], expected),
    { transferredRaw: 10n },
    'one of several',
  );
});

test('conversions between base units and asset units are exact', async (t) => {
  const usdc = { decimals: 6 };
  t.equal(baseUnits('10.5', usdc), 10_500_000n);
  t.equal(baseUnits('0.0000019', usdc), 1n);
  t.equal(baseUnits('123456789012.123456', usdc), 123_456_789_012_123_456n);
  t.equal(baseUnits('999999999999999.999999999999999999', { decimals: 18 }), 10n ** 33n - 1n);
  t.equal(assetUnits(10_500_000n, usdc), '10.50');
  t.equal(assetUnits(1n, usdc), '0.000001');
  t.equal(assetUnits(10n ** 33n - 1n, { decimals: 18 }), '999999999999999.999999999999999999');
});

test('chain settings are validated and get default confirmations', async (t) => {
  const contract = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
  const chain = (over: object) => ({
    name: 'base',
    chain_id: 8453,
    rpc_urls: ['https://rpc.example'],
    assets: { USDC: { contract, decimals: 6 } },
    ...over,
  });
  const confirmations = (name: string) => readChains([chain({ name })])[0]?.confirmations;
  t.same(
    ['base', 'ethereum', 'optimism', 'arbitrum', 'polygon', 'avalanche'].map(confirmations),
    [12, 12, 12, 40, 32, 3],
  );
  t.equal(confirmations('base-sepolia'), 1);
  t.match(readChains([chain({ confirmations: 7 })]), [{ chainId: 8453, confirmations: 7 }]);
  t.match(readChains([chain({})])[0]?.assets.get('USDC'), { contract: contract.toLowerCase() });
  const wrong: unknown[] = [
    {},
    [null],
    [chain({ name: 'Base' })],
    [chain({ name: 'unheard-of' })],
    [chain({ chain_id: '8453' })],
    [chain({ rpc_urls: [] })],
    [chain({ rpc_urls: ['ftp://x'] })],
    [chain({ confirmations: 0 })],
    [chain({ assets: {} })],
    [chain({ assets: { USDC: { contract: '0x1', decimals: 6 } } })],
    [chain({ assets: { USDC: { contract, decimals: 6.5 } } })],
    [chain({}), chain({})],
  ];
  for (const value of wrong) t.throws(() => readChains(value), Error);
});

test('the error of a failed node names its chain and not its URL', async (t) => {
  const [settings] = readChains([
    {
      name: 'far-local',
      chain_id: 1,
      rpc_urls: ['http://127.0.0.1:1/v3/key-in-the-path'],
      assets: { USDC: { contract: `0x${'1'.repeat(40)}`, decimals: 6 } },
    },
  ]);
  if (!settings) throw new Error('no chain');
  const error = await openChain(settings, 500)
    .head()
    .catch((failure: Error) => failure);
  t.match(error, { name: 'ChainUnavailable', message: /^far-local is unavailable: Http/ });
  t.notMatch(inspect(error, { depth: 9 }), /key-in-the-path/);
});

test('invalid chain settings are rejected at start', async (t) => {
  const env = {
    GRPC_PORT: '1',
    DATABASE_URL_LIVE: 'x',
    DATABASE_URL_SANDBOX: 'x',
    LEDGER_ADDRESS: 'x',
  };
  t.match(loadConfig(env), { chainsLive: [], chainsSandbox: [], chainPollMs: 4_000 });
  t.throws(() => loadConfig({ ...env, CHAINS_LIVE: '[{}]' }), SettingsError);
  t.throws(() => loadConfig({ ...env, CHAINS_LIVE: '{' }), SettingsError);
});

test('the README lists every setting', async (t) => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  t.ok(readme.includes(settingsTable(settings)), settingsTable(settings));
});
