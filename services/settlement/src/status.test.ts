import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { SettingsError, settingsTable } from '@countersign/runtime/settings';
import { test } from 'tap';
import { type Chain, openChain } from './chain.js';
import { readChains } from './chain-settings.js';
import { loadConfig, settings } from './config.js';
import { observe } from './observe.js';
import { checkPauseMs, nextStep, type Observation, type Standing } from './status.js';
import { assetUnits, baseUnits, type Expected, outcomeOf } from './transfer.js';

const now = Date.parse('2026-03-02T00:00:00Z');
const hour = 3_600_000;
const block = { number: 100n, hash: '0xaa' };

function standing(over: Partial<Standing> = {}): Standing {
  const createdAt = new Date(now - hour);
  return { status: 'SUBMITTED', requiredConfirmations: 3, createdAt, lastSeenAt: null, ...over };
}

function mined(confirmations: number, failed?: 'REVERTED' | 'TRANSFER_MISMATCH'): Observation {
  const outcome = failed
    ? { kind: 'failed' as const, reason: failed }
    : { kind: 'transferred' as const, moved: 5n };
  return { kind: 'mined', block, outcome, confirmations };
}

const table: Array<[what: string, standing: Standing, observation: Observation, step: object]> = [
  ['not there yet', standing(), { kind: 'absent' }, { status: 'SUBMITTED', seen: false }],
  ['in no block yet', standing(), { kind: 'waiting' }, { status: 'SUBMITTED', seen: true }],
  ['mined', standing(), mined(1), { status: 'PENDING', confirmations: 1, block }],
  ['nearly deep enough', standing({ status: 'PENDING' }), mined(2), { status: 'PENDING' }],
  ['deep enough', standing({ status: 'PENDING' }), mined(3), { status: 'SETTLED', moved: 5n }],
  ['deep enough at once', standing(), mined(9), { status: 'SETTLED', confirmations: 9 }],
  [
    'vanished in a reorganisation',
    standing({ status: 'PENDING', lastSeenAt: new Date(now - hour) }),
    { kind: 'absent' },
    { status: 'SUBMITTED', confirmations: 0, block: null },
  ],
  ['reverted', standing(), mined(1, 'REVERTED'), { status: 'FAILED', failureReason: 'REVERTED' }],
  [
    'another transfer',
    standing({ status: 'PENDING' }),
    mined(3, 'TRANSFER_MISMATCH'),
    { status: 'FAILED', failureReason: 'TRANSFER_MISMATCH' },
  ],
  [
    'never seen for a day',
    standing({ createdAt: new Date(now - 24 * hour) }),
    { kind: 'absent' },
    { status: 'FAILED', failureReason: 'NOT_FOUND_TIMEOUT' },
  ],
  [
    'seen within the day',
    standing({ createdAt: new Date(now - 48 * hour), lastSeenAt: new Date(now - 23 * hour) }),
    { kind: 'absent' },
    { status: 'SUBMITTED' },
  ],
  [
    'waiting for more than a day',
    standing({ createdAt: new Date(now - 48 * hour) }),
    { kind: 'waiting' },
    { status: 'SUBMITTED' },
  ],
];

for (const [what, from, observation, step] of table) {
  test(`a transaction that is ${what}`, async (t) => {
    t.match(nextStep(from, observation, now), step);
  });
}

test('what does not come soon is looked at more and more seldom', async (t) => {
  t.equal(checkPauseMs('SUBMITTED', 0, 4_000), 4_000);
  t.equal(checkPauseMs('SUBMITTED', 60_000, 4_000), 7_000);
  t.equal(checkPauseMs('SUBMITTED', 20 * hour, 4_000), 60_000);
  t.equal(checkPauseMs('PENDING', 20 * hour, 4_000), 4_000);
});

test('a chain that contradicts itself says nothing', async (t) => {
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
    ...{ requiredConfirmations: 3, blockNumber: null },
  };
  const at = (head: bigint, highest = head) => ({ head, highest });
  t.match(await observe(chain({}), row, at(102n)), { kind: 'mined', confirmations: 3 });
  t.match(await observe(chain({}), row, at(101n)), { kind: 'mined', confirmations: 2 });
  t.equal(await observe(chain({}), row, at(99n)), null, 'a receipt from the future');
  const stale = chain({ isCanonical: async () => false });
  t.equal(await observe(stale, row, at(102n)), null, 'a block that is no longer there');
  t.match(await observe(stale, row, at(101n)), { kind: 'mined' }, 'asked only when it settles');
  const gone = chain({ receipt: async () => null });
  t.equal(await observe(gone, row, at(101n, 102n)), null, 'a node that lags');
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

test('a transfer counts only when everything that was given holds', async (t) => {
  const outcome = (over: Partial<typeof transfer>, wanted: Partial<Expected> = {}) => {
    const result = outcomeOf(true, [{ ...transfer, ...over }], { ...expected, ...wanted });
    return result.kind === 'failed' ? result.reason : result.moved;
  };
  t.equal(outcome({}), 10n);
  t.equal(outcome({ value: 3n }), 3n, 'less than was approved');
  t.equal(outcome({ value: 11n }), 'TRANSFER_MISMATCH');
  t.equal(outcome({ value: 0n }), 'TRANSFER_MISMATCH');
  t.equal(outcome({ contract: '0xc1' }), 'TRANSFER_MISMATCH');
  t.equal(outcome({ to: '0xcc' }), 'TRANSFER_MISMATCH');
  t.equal(outcome({}, { from: ['0xAA', '0xaa'] }), 10n);
  t.equal(outcome({}, { from: ['0xaa', '0xab'] }), 'TRANSFER_MISMATCH');
  t.equal(outcome({}, { to: ['0xBB'] }), 10n);
  t.equal(outcome({}, { to: ['0xcc'] }), 'TRANSFER_MISMATCH');
  t.equal(outcome({}, { exactly: 10n }), 10n);
  t.equal(outcome({ value: 9n }, { exactly: 10n }), 'TRANSFER_MISMATCH');
  t.match(outcomeOf(false, [transfer], expected), { reason: 'REVERTED' });
  t.match(outcomeOf(true, [], expected), { reason: 'TRANSFER_MISMATCH' });
  const other = { ...transfer, to: '0xdd' };
  t.match(outcomeOf(true, [other, transfer], expected), { moved: 10n }, 'one of several');
});

test('units are exact to the last digit', async (t) => {
  const usdc = { decimals: 6 };
  t.equal(baseUnits('10.5', usdc), 10_500_000n);
  t.equal(baseUnits('0.0000019', usdc), 1n);
  t.equal(baseUnits('123456789012.123456', usdc), 123_456_789_012_123_456n);
  t.equal(baseUnits('999999999999999.999999999999999999', { decimals: 18 }), 10n ** 33n - 1n);
  t.equal(assetUnits(10_500_000n, usdc), '10.50');
  t.equal(assetUnits(1n, usdc), '0.000001');
  t.equal(assetUnits(10n ** 33n - 1n, { decimals: 18 }), '999999999999999.999999999999999999');
});

test('chains are read, checked, and completed with the usual confirmations', async (t) => {
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

test('a node that fails is named by its chain, never by its address', async (t) => {
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
  t.match(error, { name: 'ChainUnavailable', message: /^far-local cannot be asked: Http/ });
  t.notMatch(inspect(error, { depth: 9 }), /key-in-the-path/);
});

test('configuration that makes no sense does not start', async (t) => {
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
