import { canonicalHash, canonicalJson, sha256Hex } from '@countersign/kernel/canonical';
import { evaluate } from './evaluate.js';
import type { Facts } from './facts/shape.js';
import { type PackedState, packed, unpacked } from './profile/packed-state.js';
import { type Basis, type BasisFacts, basisOf, basisText, dropText } from './record/basis.js';
import { restoredPayment, type StoredPayment, storedPayment } from './record/payment-text.js';
import { canonicalThresholds } from './thresholds/canonical.js';
import type { Verdict } from './verdict.js';

/** The stored input of a decision, and the hash of it. */
export interface DecisionRecord {
  facts: Facts;
  scores: Pick<Verdict, 'kya' | 'zone' | 'anomaly' | 'risk'>;
  /** Computed again from the stored text. */
  inputHash: string;
}

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

/** The facts of one decision; the rest is in the basis that they refer to. */
type OwnFacts = Omit<Facts, 'model' | 'payment' | 'profile' | keyof BasisFacts> & {
  /** In the older model facts-2 the basis contains the thresholds themselves. */
  model: 'facts-2' | 'facts-3';
  /** Hex SHA-256 of the basis. */
  basis: string;
  payment: StoredPayment;
  profile: { version: number; packed: PackedState } | null;
};

/** The basis as it is stored, with the hash of its thresholds in their place. */
type NamingBasis = Omit<BasisFacts, 'thresholds'> & { thresholds: string };

export type IsKept = (hash: string) => boolean;

/**
 * The record of a decision. Its input hash is over the text of the facts as stored, which contains
 * the hash of the basis and so covers it.
 */
export function recordText(facts: Facts, verdict: Verdict, isKept: IsKept): RecordText {
  const basis = basisOf(facts);
  const { kya, zone, anomaly, risk } = verdict;
  const scores: DecisionRecord['scores'] = { kya, zone, anomaly, risk };
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

export interface StoredTexts {
  factsJson: string;
  basisJson?: string | undefined;
  /** Absent if the basis, written by an earlier release, contains them itself. */
  thresholdsJson?: string | undefined;
}

/**
 * Null for the record of a fail-safe answer, for which nothing was evaluated, and for an incomplete
 * one.
 */
export function readRecord({ factsJson, ...texts }: StoredTexts): DecisionRecord | null {
  const { facts, scores } = JSON.parse(factsJson) as {
    facts?: Facts | OwnFacts;
    scores: DecisionRecord['scores'];
  };
  if (facts?.model === 'facts-1') {
    return { facts, scores, inputHash: `sha256:${canonicalHash(facts)}` };
  }
  const basis = facts && readBasis(facts.model, texts);
  if (!basis) return null;
  // With the hash of the basis that was found: another one than the recorded changes the hash.
  const named = JSON.stringify({ ...facts, basis: basis.hash });
  return {
    facts: {
      ...restored(facts),
      ...basis.facts,
      model: 'facts-1',
    },
    scores,
    inputHash: `sha256:${sha256Hex(named)}`,
  };
}

/** As they were, without what their basis has. */
function restored({ basis: _named, payment, profile, ...own }: OwnFacts) {
  return {
    ...own,
    payment: restoredPayment(payment),
    profile: profile && { version: profile.version, state: unpacked(profile.packed) },
  };
}

export interface IncompleteRecord {
  /** Without the basis, or without its thresholds. */
  facts: object;
  scores: DecisionRecord['scores'];
}

/**
 * What is left of a record whose basis or thresholds are missing from the database of the ledger,
 * which removes neither. Null for a complete record and for one in another format.
 */
export function incompleteRecord({ factsJson, ...texts }: StoredTexts): IncompleteRecord | null {
  const { facts, scores } = JSON.parse(factsJson) as {
    facts?: OwnFacts;
    scores: DecisionRecord['scores'];
  };
  const namesBasis = facts?.model === 'facts-2' || facts?.model === 'facts-3';
  if (!namesBasis || readBasis(facts.model, texts)) return null;
  const { thresholds: _named, ...found } = JSON.parse(texts.basisJson ?? '{}') as NamingBasis;
  return { facts: { ...restored(facts), ...found }, scores };
}

type ReadBasis = Pick<Basis, 'facts' | 'hash'>;

function readBasis(
  model: OwnFacts['model'],
  { basisJson, thresholdsJson }: Omit<StoredTexts, 'factsJson'>,
): ReadBasis | null {
  if (basisJson === undefined) return null;
  if (model === 'facts-2') return { facts: JSON.parse(basisJson), hash: sha256Hex(basisJson) };
  if (model !== 'facts-3' || thresholdsJson === undefined) return null;
  const facts = JSON.parse(basisJson) as NamingBasis;
  // Other thresholds than those it refers to change the hash of the basis.
  const hash = sha256Hex(basisJson.replace(facts.thresholds, sha256Hex(thresholdsJson)));
  return { facts: { ...facts, thresholds: JSON.parse(thresholdsJson) }, hash };
}

/** Evaluates a record again: a verdict other than the recorded one means it was tampered with. */
export function replay(kept: StoredTexts): Verdict | null {
  const record = readRecord(kept);
  return record ? evaluate(record.facts) : null;
}
