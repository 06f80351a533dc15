import { canonicalHash } from '@countersign/kernel/canonical';
import { plainAmount } from '@countersign/kernel/money';
import { listFields, type MandateTerms, wireName } from './terms.js';

/**
 * `sha256:` and the hex SHA-256 of the canonical JSON (RFC 8785) of every immutable field under
 * its wire name. Fields that the mandate does not set are absent, amounts have their shortest
 * plain decimal form, and arrays are sorted sets. docs/mandate-hash.md publishes this construction
 * and its test vectors.
 */
export function mandateHash(terms: MandateTerms): string {
  return `sha256:${canonicalHash(hashedFields(terms))}`;
}

/** The object that is hashed. Undefined values are omitted from its canonical JSON. */
export function hashedFields(terms: MandateTerms): Record<string, unknown> {
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
    ...Object.fromEntries(listFields.map((field) => [wireName(field), sortedSet(terms[field])])),
    crypto: terms.rails.includes('crypto')
      ? {
          chains: sortedSet(terms.allowedChains),
          assets: sortedSet(terms.allowedAssets),
          max_transfer: amount(terms.cryptoMaxTransfer),
        }
      : undefined,
    valid_from: terms.validFrom.toISOString(),
    valid_until: terms.validUntil.toISOString(),
  };
}

/** Sorted by UTF-16 code units, as RFC 8785 sorts keys, and independently of the locale. */
function sortedSet(values: readonly string[]): string[] | undefined {
  return values.length === 0 ? undefined : [...new Set(values)].sort();
}

function amount(value: string | null): string | undefined {
  return value === null ? undefined : plainAmount(value);
}
