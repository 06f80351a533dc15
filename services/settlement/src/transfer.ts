import { Decimal } from '@countersign/kernel/money';
import type { AuthorizationEntry } from '@countersign/proto/ledger';
import type { AssetSettings } from './chain-settings.js';
import { isRecord } from './record-check.js';
import type { MinedOutcome } from './status.js';

/** The transfer an authorization approved, as decision recorded it. `value` in asset units. */
export interface ApprovedTransfer {
  chain: string;
  asset: string;
  counterparty: string;
  fromAddress: string | null;
  value: string;
  operation: string;
}

/** Of a crypto authorization's facts; null where there is no transfer in them. */
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

/** What must hold of a transfer. Addresses in any case; amounts in base units. */
export interface Expected {
  contract: string;
  counterparty: string;
  /** Each that was given, by the authorization or by the report. */
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

/** Whether one of a transaction's transfers is the one that was approved. */
export function outcomeOf(
  succeeded: boolean,
  transfers: readonly TransferLog[],
  expected: Expected,
): MinedOutcome {
  if (!succeeded) return { kind: 'failed', reason: 'REVERTED' };
  const match = transfers.find((transfer) => matches(transfer, expected));
  if (!match) return { kind: 'failed', reason: 'TRANSFER_MISMATCH' };
  return { kind: 'transferred', moved: match.value };
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

/** Asset units as base units; what is finer than the asset is cut off, never rounded up. */
export function baseUnits(value: string, { decimals }: Pick<AssetSettings, 'decimals'>): bigint {
  const units = new Decimal(value).times(new Decimal(10).pow(decimals));
  return BigInt(units.floor().toFixed(0));
}

/** Base units as a plain decimal of asset units, with two decimals at least. */
export function assetUnits(units: bigint, { decimals }: Pick<AssetSettings, 'decimals'>): string {
  const value = new Decimal(units.toString()).div(new Decimal(10).pow(decimals));
  return value.toFixed(Math.max(2, value.decimalPlaces()));
}
