import { test } from 'tap';
import { assetUnits, baseUnits, type Expected, transferResult } from './transfer.js';

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

test('several transfers to the counterparty count together', async (t) => {
  const resultOf = (values: bigint[], exactly: bigint | null = null) => {
    const transfers = values.map((value) => ({ ...transfer, value }));
    const result = transferResult(true, transfers, { ...expected, exactly });
    return result.kind === 'failed' ? result.reason : result.transferredRaw;
  };
  t.equal(resultOf([3n, 4n, 0n]), 7n);
  t.equal(resultOf([4n, 6n]), 10n);
  t.equal(resultOf([4n, 7n]), 'TRANSFER_MISMATCH', 'more than was approved');
  t.equal(resultOf([7n, 4n]), 'TRANSFER_MISMATCH', 'in any order');
  t.equal(resultOf([4n, 7n], 7n), 7n, 'the one that was reported');
  t.equal(resultOf([4n, 6n], 10n), 10n, 'the total that was reported');
  t.equal(resultOf([4n, 6n], 5n), 'TRANSFER_MISMATCH');
  t.equal(resultOf([4n, 0n], 0n), 'TRANSFER_MISMATCH');
  t.equal(resultOf([4n, 11n], 11n), 'TRANSFER_MISMATCH');
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
