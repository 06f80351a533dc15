import { shortestAmount } from '../amount.js';
import { base64url, canonicalDigest, NumberToken } from './canonical.js';

type Kept = Record<string, unknown>;

/** What of a request is kept under its own name, as it was sent. */
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
 * Whether the recorded payment is the request that was signed: it is put together again and hashed.
 * Only its hash says how it was spelled, so every spelling is tried that a client may well choose:
 * what has a default sent or left out, amounts as text with more or fewer zeros or as numbers.
 * False says nothing against the record: a default may have been sent that is not kept.
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

/** Every one of the first with every one of the second. */
function each(some: Kept[], others: Kept[]): Kept[] {
  return some.flatMap((one) => others.map((other) => ({ ...one, ...other })));
}

/** No currency has more decimals than 4, and no asset that is known more than 6. */
const maxDecimals = 6;

function asTextOrNumber(name: string, value: unknown): Kept[] {
  const shortest = shortestAmount(String(value));
  const number = new NumberToken(String(Number(shortest)));
  return [...withZeros(shortest), number].map((spelling) => ({ [name]: spelling }));
}

/** `5` is also `5.0`, `5.00` and so on. */
function withZeros(shortest: string): string[] {
  const [whole = '', fraction = ''] = shortest.split('.');
  const decimals = Array.from({ length: maxDecimals + 1 }, (_, count) => count);
  return decimals
    .filter((count) => count >= fraction.length)
    .map((count) => (count === 0 ? whole : `${whole}.${fraction.padEnd(count, '0')}`));
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
