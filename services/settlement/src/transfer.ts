import { Decimal } from '@countersign/kernel/money';
import type { AuthorizationEntry } from '@countersign/proto/ledger';
import type { AssetSettings } from './chain-settings.js';
import { isRecord } from './record-check.js';
import type { TransferResult } from './status.js';

/** The transfer that an authorization approved, from its facts. `value` is in asset units. */
export interface ApprovedTransfer {
  chain: string;
  asset: string;
  counterparty: string;
  fromAddress: string | null;
  value: string;
  operation: string;
}

/** Null if the facts of the authorization contain no transfer. */
export function approvedTransfer(entry: AuthorizationEntry): ApprovedTransfer | null {
  const facts = property(JSON.parse(entry.factsJson || '{}'), 'facts');
  const transfer = property(property(facts, 'payment'), 'crypto');
  const text = (name: string): string => String(property(transfer, name) ?? '');
  if (!isRecord(transfer) || !text('chain') || !text('asset') || !text('value')) return null;
  return {
    chain: text('chain'),
    asset: text('asset'),
    counterparty: text('counterparty'),
    fromAddress: text('fromAddress') || null,
    value: text('value'),
    operation: text('operation') || 'transfer',
  };
}

function property(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

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

/** Matches the transfers of a transaction against the approved one. */
export function transferResult(
  succeeded: boolean,
  transfers: readonly TransferLog[],
  expected: Expected,
): TransferResult {
  if (!succeeded) return { kind: 'failed', reason: 'REVERTED' };
  const match = transfers.find((transfer) => matches(transfer, expected));
  if (!match) return { kind: 'failed', reason: 'TRANSFER_MISMATCH' };
  return { kind: 'transferred', transferredRaw: match.value };
}

function matches(transfer: TransferLog, expected: Expected): boolean {
  const { contract, from, to, value } = transfer;
  return (
    same(contract, expected.contract) &&
    [expected.counterparty, ...expected.to].every((address) => same(address, to)) &&
    expected.from.every((address) => same(address, from)) &&
    value > 0n &&
    value <= expected.atMost &&
    (expected.exactly === null || value === expected.exactly)
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
