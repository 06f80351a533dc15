import { canonicalHash } from '@countersign/kernel/canonical';
import { plainAmount } from '@countersign/kernel/money';
import type { MandateTerms } from './terms.js';

/**
 * `sha256:` and the hex SHA-256 over the RFC 8785 JSON of every immutable field, in wire names.
 * What the mandate does not set is absent, amounts are in their shortest plain spelling, arrays
 * are sorted sets. The construction and its vectors are published in docs/mandate-hash.md.
 */
export function mandateHash(terms: MandateTerms): string {
  return `sha256:${canonicalHash(hashedFields(terms))}`;
}

/** The object that is hashed; undefined values are absent from its canonical JSON. */
export function hashedFields(terms: MandateTerms): Record<string, unknown> {
  const chains = sortedSet(terms.allowedChains);
  const assets = sortedSet(terms.allowedAssets);
  const maxTransfer = amount(terms.cryptoMaxTransfer);
  return {
    agent_id: terms.agentId,
    principal_id: terms.principalId,
    program_id: terms.programId ?? undefined,
    rails: sortedSet(terms.rails),
    currency: terms.currency,
    max_amount_per_transaction: amount(terms.maxPerTransaction),
    max_daily_amount: amount(terms.maxDaily),
    max_monthly_amount: amount(terms.maxMonthly),
    max_daily_count: terms.maxDailyCount ?? undefined,
    max_monthly_count: terms.maxMonthlyCount ?? undefined,
    allowed_mccs: sortedSet(terms.allowedMccs),
    blocked_mccs: sortedSet(terms.blockedMccs),
    allowed_countries: sortedSet(terms.allowedCountries),
    blocked_countries: sortedSet(terms.blockedCountries),
    allowed_merchants: sortedSet(terms.allowedMerchants),
    blocked_merchants: sortedSet(terms.blockedMerchants),
    allowed_chains: chains,
    allowed_assets: assets,
    allowed_counterparties: sortedSet(terms.allowedCounterparties),
    crypto: terms.rails.includes('crypto')
      ? { chains, assets, max_transfer: maxTransfer }
      : undefined,
    valid_from: terms.validFrom.toISOString(),
    valid_until: terms.validUntil.toISOString(),
  };
}

/** By UTF-16 code unit, as RFC 8785 sorts keys; never by locale. */
function sortedSet(values: readonly string[]): string[] | undefined {
  return values.length === 0 ? undefined : [...new Set(values)].sort();
}

function amount(value: string | null): string | undefined {
  return value === null ? undefined : plainAmount(value);
}
