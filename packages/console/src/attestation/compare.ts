import { sameAmount } from '../amount.js';
import type { DecisionStep, Entry, Explanation } from '../api/shapes.js';
import type { Environment } from '../session.js';
import {
  type Comparison,
  compare,
  isConfirmation,
  secondOf,
  signedAt,
  spelled,
} from './comparison.js';
import { compareFacts, compareNames, compareRules, type Rehashed } from './facts.js';
import type { Claims } from './verify.js';

export interface Shown {
  entry: Entry;
  environment: Environment;
  /** Environment of the signing key: a sandbox key proves nothing about live decisions. */
  keyEnvironment: string;
  /** The issuer of live decisions, as the service publishes it. */
  issuer: string;
  /** Null if they could not be loaded; comparisons with them are then left out. */
  facts: (Rehashed & { explanation: Explanation }) | null;
}

/**
 * Compares every claim that is also shown on the page. The signature proves only that the service
 * signed the claims; this comparison shows that the page displays what was signed.
 */
export function compareClaims(claims: Claims, shown: Shown): Comparison[] {
  return [
    ...aboutToken(claims, shown),
    ...aboutDecision(claims.dec, shown.entry),
    ...(shown.facts ? aboutFacts(claims, shown.entry, shown.facts) : []),
  ];
}

function aboutFacts(
  claims: Claims,
  entry: Entry,
  facts: NonNullable<Shown['facts']>,
): Comparison[] {
  const { explanation } = facts;
  return [
    ...compareFacts(claims, explanation, facts),
    ...compareNames(entry, explanation),
    ...compareRules(claims, explanation),
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
    ...(isConfirmation(claims) ? [] : [aboutTime(claims, decided?.at ?? '')]),
  ];
}

/** Two replicas that decide, each half a minute from the clock of the ledger. */
const clocksApartMs = 60_000;

/**
 * An approval that is committed after the next day of its mandate has begun is recorded with the
 * first moment of that day.
 */
function aboutTime(claims: Claims, at: string): Comparison {
  const earlierMs = Date.parse(at) - Number(claims.iat) * 1_000;
  const isOfNextDay = at.endsWith('T00:00:00.000Z') && earlierMs > 0 && earlierMs <= clocksApartMs;
  const compared = compare('iat', signedAt(claims), secondOf(Date.parse(at)));
  return { ...compared, same: compared.same || isOfNextDay };
}

/** Claims that the record contains under the same name. */
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
    compare('vi.verified', (dec.vi as { verified?: boolean } | null)?.verified, entry.vi_verified),
  ];
}

/**
 * The challenge that was denied. A confirmation is signed again but a denial is not, so in this
 * case alone the last decision is not the signed one.
 */
export function deniedChallenge(entry: Entry): DecisionStep | null {
  const [before, last] = entry.decision_history.slice(-2);
  const isDenied = entry.decision === 'DECLINE' && last?.decision === 'DECLINE';
  return isDenied && before?.decision === 'STEP_UP' ? before : null;
}
