import { formatAmount, plainAmount } from '@countersign/kernel/money';
import type { MandateInput } from '@countersign/proto/identity';
import type { ListField } from './terms.js';

type DecimalLike = string | { toString(): string };

/**
 * A mandate as read by Prisma or by a hand-written statement, so decimals are Decimal objects or
 * text, and times are Dates or milliseconds. A null list is empty.
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

/** The status at `nowMs`: EXPIRED is not stored, but follows from `validUntil`. */
export function mandateStatus(record: MandateRecord, nowMs: number): string {
  const isPast = new Date(record.validUntil).getTime() <= nowMs;
  return record.status === 'ACTIVE' && isPast ? 'EXPIRED' : record.status;
}

/** Every list is named, since one that is left out would restrict nothing. */
type MandateView = MandateInput & Record<ListField, string[]>;

/** If `nowMs` is null, the stored status is returned, for readers that use their own clock. */
export function mandateView(record: MandateRecord, nowMs: number | null): MandateView {
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

/** The crypto lists as one object, which is their form in the onboarding API. */
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
