import { formatAmount, plainAmount } from '@countersign/kernel/money';
import type { MandateInput } from '@countersign/proto/identity';
import type { ListField } from './terms.js';

type DecimalLike = string | { toString(): string };

/**
 * A mandate as it comes out of the database, by Prisma or by a raw statement.
 * Decimals are anything that prints itself, times a Date or its milliseconds. A list that is null
 * is empty.
 */
export interface MandateRecord extends Record<ListField, string[] | null> {
  id: string;
  agentId: string;
  principalId: string;
  clientId: string;
  programId: string | null;
  status: string;
  rails: string[];
  currency: string;
  maxPerTransaction: DecimalLike;
  maxDaily: DecimalLike | null;
  maxMonthly: DecimalLike | null;
  maxDailyCount: number | null;
  maxMonthlyCount: number | null;
  cryptoMaxTransfer: DecimalLike | null;
  validFrom: Date | number;
  validUntil: Date | number;
  mandateHash: string;
  version: number;
  createdAt: Date | number;
}

/** Status at this moment: a mandate expires by being read after its end, nothing is written. */
export function mandateStatus(record: MandateRecord, nowMs: number): string {
  const ended = new Date(record.validUntil).getTime() <= nowMs;
  return record.status === 'ACTIVE' && ended ? 'EXPIRED' : record.status;
}

/** `nowMs` null leaves the stored status, for a reader who judges by a time of its own. */
export function mandateView(record: MandateRecord, nowMs: number | null): MandateInput {
  const amount = (value: DecimalLike | null): string | undefined =>
    value === null ? undefined : formatAmount(value.toString(), record.currency);
  return {
    id: record.id,
    agentId: record.agentId,
    principalId: record.principalId,
    clientId: record.clientId,
    programId: record.programId ?? undefined,
    status: nowMs === null ? record.status : mandateStatus(record, nowMs),
    rails: record.rails,
    currency: record.currency,
    maxAmountPerTransaction: amount(record.maxPerTransaction),
    maxDailyAmount: amount(record.maxDaily),
    maxMonthlyAmount: amount(record.maxMonthly),
    maxDailyCount: record.maxDailyCount ?? undefined,
    maxMonthlyCount: record.maxMonthlyCount ?? undefined,
    allowedMccs: record.allowedMccs ?? [],
    blockedMccs: record.blockedMccs ?? [],
    allowedCountries: record.allowedCountries ?? [],
    blockedCountries: record.blockedCountries ?? [],
    allowedMerchants: record.allowedMerchants ?? [],
    blockedMerchants: record.blockedMerchants ?? [],
    allowedChains: record.allowedChains ?? [],
    allowedAssets: record.allowedAssets ?? [],
    allowedCounterparties: record.allowedCounterparties ?? [],
    crypto: record.rails.includes('crypto') ? cryptoTerms(record) : undefined,
    validFrom: new Date(record.validFrom).toISOString(),
    validUntil: new Date(record.validUntil).toISOString(),
    mandateHash: record.mandateHash,
    createdAt: new Date(record.createdAt).toISOString(),
    version: record.version,
  };
}

/** One record serves both shapes: the onboarding plane reads the crypto lists as one object. */
function cryptoTerms(record: MandateRecord): MandateInput['crypto'] {
  return {
    chains: record.allowedChains ?? [],
    assets: record.allowedAssets ?? [],
    maxTransfer:
      record.cryptoMaxTransfer === null
        ? undefined
        : plainAmount(record.cryptoMaxTransfer.toString()),
  };
}
