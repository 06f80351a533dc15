import { canonicalHash, sha256Hex } from '@countersign/kernel/canonical';
import { evaluate } from '../evaluate.js';
import type { Facts } from '../facts/shape.js';
import { unpacked } from '../profile/packed-state.js';
import type { Verdict } from '../verdict.js';
import type { Basis } from './basis.js';
import { restoredPayment } from './payment-text.js';
import type { NamingBasis, OwnFacts, RecordedScores } from './stored-facts.js';

/** The stored input of a decision, and the hash of it. */
export interface DecisionRecord {
  facts: Facts;
  scores: RecordedScores;
  /** Computed again from the stored text. */
  inputHash: string;
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
    scores: RecordedScores;
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
  scores: RecordedScores;
}

/**
 * What is left of a record whose basis or thresholds are missing from the database of the ledger,
 * which removes neither. Null for a complete record and for one in another format.
 */
export function incompleteRecord({ factsJson, ...texts }: StoredTexts): IncompleteRecord | null {
  const { facts, scores } = JSON.parse(factsJson) as {
    facts?: OwnFacts;
    scores: RecordedScores;
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
