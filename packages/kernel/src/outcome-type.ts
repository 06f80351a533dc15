/** What a report of an outcome can say about a payment, and who can say it. */
export const outcomeTypes = [
  'SETTLED',
  'CLEARED',
  'CHARGEBACK',
  'CONFIRMED_FRAUD',
  'DISPUTE_RESOLVED',
  'PRINCIPAL_CONFIRMED_UNAUTHORIZED',
  'PRINCIPAL_CONFIRMED_LEGITIMATE',
  'MERCHANT_COMPLAINT',
  'FALSE_POSITIVE_REPORTED',
] as const;
type OutcomeType = (typeof outcomeTypes)[number];

export const outcomeReporters = ['PRINCIPAL', 'ISSUER', 'MERCHANT', 'INTERNAL'] as const;

export function isOutcomeType(value: unknown): value is OutcomeType {
  return outcomeTypes.some((type) => type === value);
}

export function isOutcomeReporter(value: unknown): boolean {
  return outcomeReporters.some((reporter) => reporter === value);
}
