import { sameAmount } from '../amount.js';
import type { DecisionStep, Entry, Explanation } from '../api/shapes.js';
import type { Environment } from '../session.js';
import type { Claims } from './verify.js';

/** One signed claim beside what the console shows. */
export interface Comparison {
  name: string;
  signed: string;
  shown: string;
  same: boolean;
}

export interface Shown {
  entry: Entry;
  environment: Environment;
  /** Whose decisions the key signs: one of the sandbox proves nothing about live. */
  keyEnvironment: string;
  /** Where decisions of live are issued, as the service publishes it. */
  issuer: string;
  /** Null where it could not be read: what is compared with it is left out then. */
  explanation: Explanation | null;
}

/**
 * Every claim that says something which is also shown. A signature proves that the service said the
 * claims; only this proves that what is on the screen is what it said.
 */
export function compareClaims(claims: Claims, shown: Shown): Comparison[] {
  return [
    ...aboutToken(claims, shown),
    ...aboutDecision(claims.dec, shown.entry),
    ...(shown.explanation ? aboutRequest(claims, shown.explanation) : []),
  ];
}

function aboutToken(claims: Claims, shown: Shown): Comparison[] {
  const { entry, environment, keyEnvironment, issuer } = shown;
  const expected = environment === 'sandbox' ? `${issuer}/sandbox` : issuer;
  const decided = deniedChallenge(entry) ?? entry.decision_history.at(-1);
  return [
    compare('iss', claims.iss, expected),
    compare('env', claims.env, environment),
    compare('env of the key', keyEnvironment, environment),
    compare('jti', claims.jti, entry.id),
    // A confirmation is signed before it is recorded, at a moment of its own.
    ...(claims.prev === undefined
      ? [compare('iat', signedAt(claims), secondOf(Date.parse(decided?.at ?? '')))]
      : []),
  ];
}

export function signedAt({ iat }: Claims): string {
  return secondOf(Number(iat) * 1_000);
}

/** Only the second is signed; nothing where there is no time. */
function secondOf(atMs: number): string {
  const second = new Date(Math.floor(atMs / 1_000) * 1_000);
  return Number.isNaN(second.getTime()) ? '' : second.toISOString();
}

/** Claims that the record has under the same name. */
const recorded = [
  'transaction_id',
  'correlation_key',
  'agent_id',
  'mandate_id',
  'mandate_hash',
  'rail',
  'currency',
  'merchant_id',
  'mcc',
  'country',
  'kya_score',
  'trust_level',
  'risk_score',
] as const;

function aboutDecision(dec: Record<string, unknown>, entry: Entry): Comparison[] {
  const amount = spelled(dec.amount);
  const challenge = deniedChallenge(entry);
  const standing = challenge ?? entry;
  const last = challenge ?? entry.decision_history.at(-1);
  return [
    compare('authorization_id', dec.authorization_id, entry.id),
    compare('decision', dec.decision, standing.decision),
    compare('reason_codes', dec.reason_codes, standing.reason_codes),
    compare('decision in the history', dec.decision, last?.decision),
    compare('reason_codes in the history', dec.reason_codes, last?.reason_codes),
    { ...compare('amount', amount, entry.amount), same: sameAmount(amount, entry.amount) },
    ...recorded.map((name) => compare(name, dec[name], entry[name])),
  ];
}

/**
 * The challenge that was denied or ran out. A confirmation is signed anew and a denial is not, so
 * only then is the last decision not the signed one; nothing else may follow what was signed.
 */
export function deniedChallenge(entry: Entry): DecisionStep | null {
  const [before, last] = entry.decision_history.slice(-2);
  const isDenied = entry.decision === 'DECLINE' && last?.decision === 'DECLINE';
  return isDenied && before?.decision === 'STEP_UP' ? before : null;
}

interface Inputs {
  agent?: { did?: string } | null;
  payment?: { req_hash?: string; crypto?: Record<string, unknown> | null };
}

function aboutRequest(claims: Claims, { inputs }: Explanation): Comparison[] {
  const { agent, payment } = inputs as Inputs;
  const signed = (claims.dec.crypto ?? null) as Record<string, unknown> | null;
  const transfer = payment?.crypto ?? null;
  return [
    ...(agent?.did ? [compare('sub', claims.sub, agent.did)] : []),
    ...(payment?.req_hash ? [compare('req_hash', claims.req_hash, payment.req_hash)] : []),
    ...(signed || transfer
      ? ['chain', 'asset', 'counterparty', 'value'].map((name) =>
          compare(`crypto.${name}`, signed?.[name], transfer?.[name]),
        )
      : []),
  ];
}

function compare(name: string, signed: unknown, shown: unknown): Comparison {
  const texts = { signed: spelled(signed), shown: spelled(shown) };
  return { name, ...texts, same: texts.signed === texts.shown };
}

/** Nothing is the empty text, whether it is absent, null or an empty list. */
function spelled(value: unknown): string {
  if (Array.isArray(value)) return value.map(spelled).join(', ');
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
