import { canonicalJson, sha256Hex } from '@countersign/kernel/canonical';
import type { Facts } from '../facts/shape.js';
import { packed } from '../profile/packed-state.js';
import { canonicalThresholds } from '../thresholds/canonical.js';
import type { Verdict } from '../verdict.js';
import { type Basis, basisOf, basisText, dropText } from './basis.js';
import { storedPayment } from './payment-text.js';
import type { OwnFacts, RecordedScores } from './stored-facts.js';

/** The texts that the ledger stores. */
export interface RecordText {
  factsJson: string;
  /** Absent for an unknown agent, whose facts are complete without a basis. */
  basisHash?: string;
  /** Absent also if the ledger is known to have the text. */
  basisJson?: string;
  /** The thresholds that the basis refers to; sent only with the text of the basis. */
  thresholdsHash?: string;
  thresholdsJson?: string;
  inputHash: string;
}

type BasisTexts = Omit<RecordText, 'factsJson' | 'inputHash'>;

export type IsKept = (hash: string) => boolean;

/**
 * The record of a decision. Its input hash is over the text of the facts as stored, which contains
 * the hash of the basis and so covers it.
 */
export function recordText(facts: Facts, verdict: Verdict, isKept: IsKept): RecordText {
  const basis = basisOf(facts);
  const { kya, zone, anomaly, risk } = verdict;
  const scores: RecordedScores = { kya, zone, anomaly, risk };
  const factsText = basis ? JSON.stringify(ownFacts(facts, basis)) : canonicalJson(facts);
  return {
    factsJson: `{"facts":${factsText},"scores":${JSON.stringify(scores)}}`,
    inputHash: `sha256:${sha256Hex(factsText)}`,
    ...(basis && basisTexts(basis, isKept)),
  };
}

function basisTexts(basis: Basis, isKept: IsKept): BasisTexts {
  if (isKept(basis.hash)) {
    dropText(basis);
    return { basisHash: basis.hash };
  }
  const { text, hash } = canonicalThresholds(basis.facts.thresholds);
  return {
    basisHash: basis.hash,
    basisJson: basisText(basis),
    thresholdsHash: hash,
    ...(!isKept(hash) && { thresholdsJson: text }),
  };
}

function ownFacts(facts: Facts, { hash }: Basis): OwnFacts {
  const { profile } = facts;
  const own: OwnFacts = {
    model: 'facts-3',
    basis: hash,
    environment: facts.environment,
    decidedAt: facts.decidedAt,
    clientId: facts.clientId,
    actingPrincipalId: facts.actingPrincipalId,
    payment: storedPayment(facts.payment),
    profile: profile && { version: profile.version, packed: packed(profile.state) },
    limits: facts.limits,
  };
  if (facts.velocity) own.velocity = facts.velocity;
  if (facts.merchantKnown !== undefined) own.merchantKnown = facts.merchantKnown;
  if (facts.likeness) own.likeness = facts.likeness;
  if (facts.intent) own.intent = facts.intent;
  if (facts.intentState) own.intentState = facts.intentState;
  if (facts.openChallengesFull) own.openChallengesFull = true;
  return own;
}
