import { shortestAmount } from '../amount.js';
import { canonicalDigest, hex, NumberToken } from './canonical.js';

type Kept = Record<string, unknown>;

const amounts = ['max_amount_per_transaction', 'max_daily_amount', 'max_monthly_amount'];
const counts = ['max_daily_count', 'max_monthly_count'];
const subjects = ['mccs', 'countries', 'merchants', 'chains', 'assets', 'counterparties'];
const lists = ['rails', ...subjects.flatMap((name) => [`allowed_${name}`, `blocked_${name}`])];
const texts = ['currency', 'valid_from', 'valid_until'];

/** The parties of a mandate, which the copy of its terms in a decision does not contain. */
export interface Grantee {
  agent_id: unknown;
  principal_id: unknown;
  program_id: unknown;
}

/**
 * Computes `mandate_hash` from the terms as in docs/mandate-hash.md. Terms that were changed after
 * the decision yield a different hash from the signed one.
 */
export async function mandateHash(terms: Kept, grantee: Grantee): Promise<string> {
  const fields = {
    ...granted(grantee),
    ...Object.fromEntries([
      ...texts.map((name) => [name, terms[name]]),
      ...amounts.map((name) => [name, amount(terms[name])]),
      ...counts.map((name) => [name, count(terms[name])]),
      ...lists.map((name) => [name, set(terms[name])]),
    ]),
    crypto: set(terms.rails)?.includes('crypto') ? transfers(terms) : undefined,
  };
  return `sha256:${hex(await canonicalDigest(fields))}`;
}

function granted({ agent_id, principal_id, program_id }: Grantee): Kept {
  return { agent_id, principal_id, program_id: program_id ?? undefined };
}

function transfers({ crypto }: Kept): Kept {
  const { chains, assets, max_transfer } = (crypto ?? {}) as Kept;
  return { chains: set(chains), assets: set(assets), max_transfer: amount(max_transfer) };
}

/** Undefined values are not part of the hash. */
function amount(value: unknown): string | undefined {
  return typeof value === 'string' ? shortestAmount(value) : undefined;
}

function count(value: unknown): NumberToken | undefined {
  return typeof value === 'string' ? new NumberToken(value) : undefined;
}

function set(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return [...new Set(value.map(String))].sort();
}
