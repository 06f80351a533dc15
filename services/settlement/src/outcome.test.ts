import { test } from 'tap';
import { outcomeReport, type SettledRow } from './outcome.js';

const contract = `0x${'c'.repeat(40)}`;
const assets = new Map([
  ['USDC', { contract, decimals: 6 }],
  ['wETH', { contract, decimals: 18 }],
]);
const base = { name: 'base', chainId: 8453, rpcUrls: [], confirmations: 12, assets };
const settled: SettledRow = {
  ...{ id: 'stl_1', authorizationId: 'auth_1', clientId: 'cli_1', principalId: 'prn_1' },
  ...{ chain: 'base', txHash: '0x1', asset: 'USDC', currency: 'USD', settledRaw: '10000000' },
  ...{ outcomeId: 'out_1', settledAt: new Date(0) },
};
const at = '2026-11-23T12:00:00.000Z';
const reported = (over: Partial<SettledRow>, chains = [base]) =>
  outcomeReport({ ...settled, ...over }, chains, at);

test('a transfer of USDC is reported in dollars', (t) => {
  const report = reported({});
  t.same(report, {
    ...{ outcomeId: 'out_1', authorizationId: 'auth_1', outcomeType: 'SETTLED' },
    ...{ reportedAt: at, reportedBy: 'INTERNAL', txHash: '0x1', chainId: '8453' },
    ...{ settledAmount: '10.00', settledCurrency: 'USD', settledAt: '1970-01-01T00:00:00.000Z' },
  });
  t.end();
});

test('a transfer of another asset is not reported in the currency of the payment', (t) => {
  const report = reported({ asset: 'wETH', settledRaw: '500000000000000000' });
  t.notOk('settledAmount' in report);
  t.notOk('settledCurrency' in report);
  t.same(JSON.parse(report.evidenceJson ?? ''), { chain: 'base', asset: 'wETH', value: '0.50' });
  t.match(report, { outcomeType: 'SETTLED', settledAt: '1970-01-01T00:00:00.000Z', txHash: '0x1' });
  t.notOk('settledCurrency' in reported({ currency: 'EUR' }), 'USDC is not worth euros');
  t.end();
});

test('a transfer whose asset is no longer configured is reported without an amount', (t) => {
  const report = reported({}, []);
  t.match(report, { authorizationId: 'auth_1', outcomeType: 'SETTLED' });
  for (const name of ['settledAmount', 'settledCurrency', 'evidenceJson']) t.notOk(name in report);
  t.end();
});
