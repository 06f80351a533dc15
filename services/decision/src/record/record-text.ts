import { canonicalJson, sha256Hex } from '@countersign/kernel/canonical';
import type { Facts } from '../facts/shape.js';
import { packed } from '../profile/packed-state.js';
import { canonicalThresholds } from '../thresholds/canonical.js';
import type { Verdict } from '../verdict.js';
import { type Basis, basisOf, basisText, dropText } from './basis.js';
import { packedPayment } from './packed-payment.js';
import { packedScores } from './packed-scores.js';
import type { PackedFacts, RecordedScores } from './stored-facts.js';

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
 * The record of a decision. Its input hash is over the text of the facts as stored, with the hash
 * of the basis at its end, and so covers both.
 */
export function recordText(facts: Facts, verdict: Verdict, isKept: IsKept): RecordText {
  const basis = basisOf(facts);
  const { kya, zone, anomaly, risk } = verdict;
  const scores: RecordedScores = { kya, zone, anomaly, risk };
  if (!basis) {
    const text = canonicalJson(facts);
    return {
      factsJson: `{"facts":${text},"scores":${JSON.stringify(scores)}}`,
      inputHash: `sha256:${sha256Hex(text)}`,
    };
  }
  const text = JSON.stringify(packedFacts(facts));
  return {
    factsJson: `{"facts":${text},"scores":${JSON.stringify(packedScores(scores))}}`,
    inputHash: inputHash(text, basis.hash),
    ...basisTexts(basis, isKept),
  };
}

/** Of the text of an object that is not empty. */
function inputHash(factsText: string, basisHash: string): string {
  return `sha256:${sha256Hex(`${factsText.slice(0, -1)},"basis":"${basisHash}"}`)}`;
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

/** As later releases read it (`read-record.ts`): members may be added, not renamed. */
function packedFacts(facts: Facts): PackedFacts {
  const { profile, limits } = facts;
  const own: PackedFacts = {
    model: 'facts-4',
    made: [facts.environment, facts.decidedAt, facts.clientId, facts.actingPrincipalId],
    payment: packedPayment(facts.payment),
    profile: profile && [profile.version, packed(profile.state)],
  };
  if (limits.usage !== null || limits.codes.length > 0) own.limits = limits;
  if (facts.velocity) own.velocity = facts.velocity;
  if (facts.merchantKnown !== undefined) own.merchantKnown = facts.merchantKnown;
  if (facts.likeness) own.likeness = facts.likeness;
  if (facts.intent) own.intent = facts.intent;
  if (facts.intentState) own.intentState = facts.intentState;
  if (facts.openChallengesFull) own.openChallengesFull = true;
  return own;
}
