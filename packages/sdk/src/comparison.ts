import type { components } from './generated/openapi.js';

type Schemas = components['schemas'];

/** What a decision and an entry of the log have in common with the signed claims. */
export type AttestedDecision = Pick<
  Schemas['Authorization'],
  'attestation' | 'decision' | 'agent_id' | 'mandate_id' | 'transaction_id' | 'correlation_key'
> &
  ({ authorization_id: string } | { id: string }) & {
    /** Only an entry of the log has it. */
    decision_history?: ReadonlyArray<Pick<Schemas['DecisionStep'], 'decision'>>;
  };

const compared = ['agent_id', 'mandate_id', 'transaction_id', 'correlation_key'] as const;

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
  if (dec.decision !== signedDecision(decision)) return 'decision';
  return compared.find((name) => decision[name] !== dec[name]);
}

/**
 * The decision that the attestation is about. A confirmation is signed again but a denial is not,
 * so beside a denied challenge there still is the attestation of the challenge.
 */
function signedDecision({ decision, decision_history: history = [] }: AttestedDecision) {
  const [before, last] = history.slice(-2);
  const isDenied = decision === 'DECLINE' && last?.decision === 'DECLINE';
  return isDenied && before?.decision === 'STEP_UP' ? before.decision : decision;
}
