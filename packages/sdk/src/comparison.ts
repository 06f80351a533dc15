import { canonicalJson } from './canonical.js';
import type { components } from './generated/openapi.js';

type Schemas = components['schemas'];
type Answer = Schemas['Authorization'];
type Entry = Schemas['AuthorizationLogEntry'];
type Step = Pick<Schemas['DecisionStep'], 'decision' | 'reason_codes'>;

const always = ['agent_id', 'mandate_id', 'transaction_id', 'correlation_key'] as const;
/** An answer, an entry and an item of a list each have some of these. */
const whereShown = [
  ...(['reason_codes', 'rail', 'amount', 'currency', 'merchant_id', 'mcc', 'country'] as const),
  ...(['crypto', 'mandate_hash', 'kya_score', 'trust_level', 'risk_score'] as const),
  ...(['intent_anomaly_score', 'cognitive_limit_multiplier', 'vi_verified', 'vi_mode'] as const),
];

type Shown = Pick<Answer, 'attestation' | 'decision' | (typeof always)[number]> &
  Partial<Pick<Answer & Entry, (typeof whereShown)[number]>>;

/** What a decision and an entry of the log have in common with the signed claims. */
export type AttestedDecision = Shown &
  ({ authorization_id: string } | { id: string }) & {
    /** Only an entry of the log has it. */
    decision_history?: readonly Step[];
  };

/**
 * The name of a field that differs from the claim of that name, if any. The signature covers only
 * the claims, so the fields returned beside them have to agree with them.
 */
export function differingField(
  { jti, dec }: { jti: string; dec: Readonly<Record<string, unknown>> },
  decision: AttestedDecision,
): string | undefined {
  const id = 'authorization_id' in decision ? decision.authorization_id : decision.id;
  if (jti !== id || dec.authorization_id !== id) return 'authorization_id';
  const shown: Partial<AttestedDecision> = { ...decision, ...deniedChallenge(decision) };
  if (dec.decision !== shown.decision) return 'decision';
  const { verified, mode } = Object(dec.vi) as Record<string, unknown>;
  const signed: Record<string, unknown> = { ...dec, vi_verified: verified, vi_mode: mode };
  const given = whereShown.filter((name) => shown[name] !== undefined);
  return [...always, ...given].find((name) => !isSame(name, signed[name], shown[name]));
}

/**
 * The decision that the attestation is about where it is not the last one. A confirmation is signed
 * again but a denial is not, so beside a denied challenge there still is the attestation of the
 * challenge.
 */
function deniedChallenge({ decision, decision_history: history = [] }: AttestedDecision) {
  const [before, last] = history.slice(-2);
  const isDenied = decision === 'DECLINE' && last?.decision === 'DECLINE';
  if (!isDenied || before?.decision !== 'STEP_UP') return null;
  return { decision: before.decision, reason_codes: before.reason_codes };
}

/** A claim that does not apply is absent where an entry has null. */
function isSame(name: string, signed: unknown, shown: unknown): boolean {
  if (name === 'amount') return isSameAmount(String(signed), String(shown));
  const [claim, field] = name === 'crypto' ? [transfer(signed), transfer(shown)] : [signed, shown];
  return canonicalJson(claim ?? null) === canonicalJson(field ?? null);
}

/** A list has it without trailing zeros, and with the digits that a JSON number can hold. */
function isSameAmount(signed: string, shown: string): boolean {
  return shortest(signed) === shortest(shown) || String(Number(signed)) === shown;
}

function shortest(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}

/** The part of a transfer that is signed. */
function transfer(crypto: unknown): unknown {
  if (!crypto) return null;
  const { chain, asset, counterparty, value } = crypto as Schemas['RecordedTransfer'];
  return { chain, asset, counterparty, value };
}
