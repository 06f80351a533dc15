import { sameAmount } from '../amount.js';
import type { Entry, Explanation } from '../api/shapes.js';
import {
  type Kept,
  kept,
  multiplierOf,
  recordedFacts,
  recordedMandate,
} from '../recorded-facts.js';
import {
  type Comparison,
  compare,
  isConfirmation,
  secondOf,
  signedAt,
  spelled,
} from './comparison.js';
import { mandateHash } from './mandate-terms.js';
import { isRequestOf } from './request.js';
import type { Claims } from './verify.js';

/** Hashes recomputed from the facts of a decision. */
export interface Rehashed {
  /** Hash of the mandate's terms; null if no mandate was used. */
  mandateHash: string | null;
  /**
   * True if the recorded payment reproduces the signed request completely, including names and what
   * the agent stated.
   */
  isRequest: boolean;
}

export async function rehashed(claims: Claims, explanation: Explanation): Promise<Rehashed> {
  const { agent, payment } = recordedFacts(explanation);
  const { id, principal_id, program_id } = agent;
  const mandate = recordedMandate(explanation, claims.dec.mandate_id);
  const grantee = { agent_id: id, principal_id, program_id };
  return {
    mandateHash: mandate && (await mandateHash(mandate, grantee)),
    isRequest: await isRequestOf(payment, claims.req_hash),
  };
}

/** Compares the payment and its parties in the facts that the reasons refer to. */
export function compareFacts(
  claims: Claims,
  explanation: Explanation,
  { mandateHash: made }: Rehashed,
): Comparison[] {
  const { dec } = claims;
  const { inputs } = explanation;
  const { agent, payment, principal, decidedAt } = recordedFacts(explanation);
  const amount = spelled(payment.amount);
  const ofPayment = ['authorization_id', 'currency', 'rail', 'merchant_id', 'mcc', 'country'];
  return [
    compare('sub', claims.sub, agent.did),
    compare('req_hash', claims.req_hash, payment.req_hash),
    ...(isConfirmation(claims)
      ? []
      : [compare('iat of the facts', signedAt(claims), momentOf(decidedAt))]),
    compare('env of the facts', claims.env, inputs.environment),
    compare('agent_id of the facts', dec.agent_id, agent.id),
    compare('principal_id of the facts', dec.principal_id, principal.id),
    {
      ...compare('amount of the facts', dec.amount, amount),
      same: sameAmount(spelled(dec.amount), amount),
    },
    ...ofPayment.map((name) => compare(`${name} of the facts`, dec[name], payment[name])),
    ...aboutTransfer(dec.crypto, payment.crypto),
    compare('mandate_hash of the terms', dec.mandate_hash, made),
    ...aboutScores(dec, explanation),
    ...aboutIntent(dec, inputs),
  ];
}

/**
 * Fields that no claim contains: the signed request covers them, and the page shows the record's.
 */
export function compareNames(entry: Entry, explanation: Explanation): Comparison[] {
  const { payment } = recordedFacts(explanation);
  return [
    compare('merchant_name of the facts', payment.merchant_name, entry.merchant_name),
    compare('client_reference of the facts', payment.client_reference, entry.client_reference),
  ];
}

function aboutTransfer(signed: unknown, shown: unknown): Comparison[] {
  if (!signed && !shown) return [];
  const [before, now] = [kept(signed), kept(shown)];
  return ['chain', 'asset', 'counterparty', 'value'].map((name) =>
    compare(`crypto.${name}`, before[name], now[name]),
  );
}

function aboutScores(dec: Kept, explanation: Explanation): Comparison[] {
  const recorded = recordedFacts(explanation);
  const { kya, risk, anomaly } = recorded.scores;
  return [
    compare('kya_score of the parts', dec.kya_score, kya.score),
    compare('risk_score of the parts', dec.risk_score, risk.score),
    compare('intent_anomaly_score', dec.intent_anomaly_score, anomaly.score),
    compare(
      'cognitive_limit_multiplier',
      dec.cognitive_limit_multiplier,
      multiplierOf(recorded) ?? '1',
    ),
  ];
}

function aboutIntent(dec: Kept, { intent, intent_state: state }: Kept): Comparison[] {
  const { verified, mode, reference } = kept(dec.vi);
  const found = kept(intent);
  return [
    compare('vi.verified of the facts', verified, found.verified === true && state === undefined),
    compare('vi.mode', mode, found.mode),
    compare('vi.reference', reference, kept(found.evidence).reference),
  ];
}

/**
 * Compares the reasons that the rules give; those of a confirmation are the human's. If today's
 * rules decide differently, the new reasons were never signed and are not compared.
 */
export function compareRules(claims: Claims, explanation: Explanation): Comparison[] {
  if (isConfirmation(claims) || explanation.reproduced === false) return [];
  const { reason_codes: signed } = claims.dec;
  const fired = explanation.rules.flatMap(({ reason_codes: codes }) => codes);
  return [
    compare('reason_codes judged anew', signed, explanation.reason_codes),
    compare('reason_codes of the rules', inOrder(signed), inOrder(fired)),
  ];
}

/** Rules are listed in the order of evaluation, codes in the published order. */
function inOrder(codes: unknown): string[] {
  return Array.isArray(codes) ? [...new Set(codes.map(String))].sort() : [];
}

function momentOf(time: unknown): string {
  return secondOf(Date.parse(spelled(time)));
}
