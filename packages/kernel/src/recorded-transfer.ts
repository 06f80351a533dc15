import { isRecord } from './is-record.js';

/** The on-chain transfer of a payment as it is recorded. `value` is in units of the asset. */
export interface RecordedTransfer {
  chain: string;
  asset: string;
  counterparty: string;
  fromAddress: string | null;
  value: string;
  operation: string;
}

/**
 * The transfer in the recorded facts of an authorization, or of a payment that failed safe; null if
 * they have none. Records are kept for years, so nothing is assumed of their other contents.
 */
export function recordedTransfer(factsJson: string): RecordedTransfer | null {
  const record: unknown = JSON.parse(factsJson || '{}');
  const judged = property(property(record, 'facts'), 'payment');
  const transfer = property(judged ?? property(record, 'payment'), 'crypto');
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
