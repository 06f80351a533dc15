import { shortestAmount } from '../amount.js';
import { base64url, canonicalDigest, NumberToken } from './canonical.js';

type Kept = Record<string, unknown>;

/** Request fields that are recorded under the same name and unchanged. */
const fields = [
  'agent_id',
  'agent_did',
  'merchant_name',
  'merchant_id',
  'mcc',
  'country',
  'capability',
  'idempotency_key',
  'client_reference',
];
const numbersOfContext = [
  'confidence',
  'alternatives_considered',
  'interaction_depth',
  'recurrence_number',
];

/**
 * Whether the recorded payment is the signed request: the request is rebuilt and hashed. Since only
 * the hash shows how it was formatted, all variants that a client is likely to send are tried:
 * defaults present or absent, amounts as text with more or fewer zeros or as numbers. False does
 * not mean tampering: the request may have contained a default that is not recorded.
 */
export async function isRequestOf(payment: Kept, signedHash: unknown): Promise<boolean> {
  for (const body of spellings(payment)) {
    if (base64url(await canonicalDigest(body)) === signedHash) return true;
  }
  return false;
}

function spellings(payment: Kept): Kept[] {
  const base = {
    ...present(payment, fields),
    ...references(payment),
    ...(payment.transaction_given === true && { transaction_id: payment.transaction_id }),
    intent_context: context(payment.intent_context as Kept | undefined),
  };
  const crypto = payment.crypto as Kept | null;
  return [
    [base],
    asTextOrNumber('amount', payment.amount),
    sentOrDefault('currency', payment.currency, 'USD'),
    sentOrDefault('rail', payment.rail, 'CARD'),
    crypto ? transfers(crypto).map((transfer) => ({ crypto: transfer })) : [{}],
  ].reduce(each);
}

function transfers(crypto: Kept): Kept[] {
  return [
    [present(crypto, ['chain', 'asset', 'counterparty', 'from_address'])],
    asTextOrNumber('value', crypto.value),
    sentOrDefault('operation', crypto.operation, 'transfer'),
  ].reduce(each);
}

/** All combinations of one of the first with one of the second. */
function each(some: Kept[], others: Kept[]): Kept[] {
  return some.flatMap((one) => others.map((other) => ({ ...one, ...other })));
}

/** What clients fill up with zeros: no currency has more than 4 decimals, and USDC has 6. */
const filledDecimals = 6;

function asTextOrNumber(name: string, value: unknown): Kept[] {
  const shortest = shortestAmount(String(value));
  const number = new NumberToken(String(Number(shortest)));
  return [...withZeros(shortest), number].map((spelling) => ({ [name]: spelling }));
}

/** `5` can also be `5.0`, `5.00` and so on. An asset may have more decimals, without zeros. */
function withZeros(shortest: string): string[] {
  const [whole = '', fraction = ''] = shortest.split('.');
  const mostZeros = Math.max(0, filledDecimals - fraction.length);
  return Array.from({ length: mostZeros + 1 }, (_, zeros) => {
    const decimals = fraction + '0'.repeat(zeros);
    return decimals === '' ? whole : `${whole}.${decimals}`;
  });
}

function sentOrDefault(name: string, value: unknown, fallback: string): Kept[] {
  return value === fallback ? [{ [name]: value }, {}] : [{ [name]: value }];
}

function context(kept: Kept = {}): Kept {
  const said = present(kept, Object.keys(kept));
  for (const name of numbersOfContext) {
    if (said[name] !== undefined) said[name] = new NumberToken(String(said[name]));
  }
  return said;
}

function references({ references: kept }: Kept): Kept {
  const given = present((kept ?? {}) as Kept, Object.keys((kept ?? {}) as Kept));
  const { chain_id: chain } = given;
  return chain === undefined ? given : { ...given, chain_id: new NumberToken(String(chain)) };
}

function present(kept: Kept, names: readonly string[]): Kept {
  const given = names.map((name) => [name, kept[name]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== null && value !== undefined));
}
