import type { Rail } from '../vocabulary.js';

/** Where a mandate is asked for; the two shapes of the interface differ in names and defaults. */
export type Plane = 'onboarding' | 'runtime';

/** Every list of a mandate that permits or forbids; an empty one says nothing. */
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

/**
 * Everything about a mandate that never changes: what its hash covers and what its row holds.
 * Amounts are plain decimal strings; null where the mandate sets no limit.
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
