import type { Rail } from '@countersign/kernel/vocabulary';

/** The API that a mandate is requested through; their field names and defaults differ. */
export type Plane = 'onboarding' | 'runtime';

/**
 * The allow and block lists of a mandate. An empty list restricts nothing. What a decision reads
 * and what the hash covers follow from these names.
 */
export const listFields = [
  'allowedMccs',
  'blockedMccs',
  'allowedCountries',
  'blockedCountries',
  'allowedMerchants',
  'blockedMerchants',
  'allowedChains',
  'allowedAssets',
  'allowedCounterparties',
] as const;
export type ListField = (typeof listFields)[number];

/** `allowed_mccs`: its name in the public API, and that of its column. */
export function wireName(field: ListField): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * The immutable fields of a mandate, which its hash covers. Amounts are plain decimal strings, or
 * null if the mandate sets no limit.
 */
export interface MandateTerms extends Record<ListField, string[]> {
  agentId: string;
  principalId: string;
  programId: string | null;
  rails: Rail[];
  currency: string;
  maxPerTransaction: string;
  maxDaily: string | null;
  maxMonthly: string | null;
  maxDailyCount: number | null;
  maxMonthlyCount: number | null;
  /** In units of the asset. */
  cryptoMaxTransfer: string | null;
  validFrom: Date;
  validUntil: Date;
}
