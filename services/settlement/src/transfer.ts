import { Decimal } from '@countersign/kernel/money';
import type { AssetSettings } from './chain-settings.js';
import type { TransferResult } from './status.js';

/** The criteria for a transfer. Addresses are in any case; amounts are in base units. */
export interface Expected {
  contract: string;
  counterparty: string;
  /** The addresses named by the authorization and by the report, all of which must match. */
  from: string[];
  to: string[];
  atMost: bigint;
  exactly: bigint | null;
}

export interface TransferLog {
  contract: string;
  from: string;
  to: string;
  value: bigint;
}

/**
 * Matches the transfers of a transaction against the approved one. Several to the counterparty
 * count together, whatever their order: all of them have been paid. A report can name one by its
 * value.
 */
export function transferResult(
  succeeded: boolean,
  transfers: readonly TransferLog[],
  expected: Expected,
): TransferResult {
  if (!succeeded) return { kind: 'failed', reason: 'REVERTED' };
  const { atMost, exactly } = expected;
  const values = transfers.filter((one) => matches(one, expected)).map(({ value }) => value);
  const total = values.reduce((sum, value) => sum + value, 0n);
  const isNamed = exactly === null || exactly === total || values.includes(exactly);
  const transferredRaw = exactly ?? total;
  if (!isNamed || transferredRaw === 0n || transferredRaw > atMost) {
    return { kind: 'failed', reason: 'TRANSFER_MISMATCH' };
  }
  return { kind: 'transferred', transferredRaw };
}

/** Whether the transfer is of the asset and between the expected addresses. */
function matches({ contract, from, to }: TransferLog, expected: Expected): boolean {
  return (
    same(contract, expected.contract) &&
    [expected.counterparty, ...expected.to].every((address) => same(address, to)) &&
    expected.from.every((address) => same(address, from))
  );
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Converts asset units to base units, rounding down. */
export function baseUnits(value: string, { decimals }: Pick<AssetSettings, 'decimals'>): bigint {
  const units = new Decimal(value).times(new Decimal(10).pow(decimals));
  return BigInt(units.floor().toFixed(0));
}

/** Converts base units to a plain decimal of asset units with at least two decimals. */
export function assetUnits(units: bigint, { decimals }: Pick<AssetSettings, 'decimals'>): string {
  const value = new Decimal(units.toString()).div(new Decimal(10).pow(decimals));
  return value.toFixed(Math.max(2, value.decimalPlaces()));
}
