import { canonicalHash, sha256Hex } from '@countersign/kernel/canonical';
import type { Facts } from '../facts/shape.js';
import { unpacked } from '../profile/packed-state.js';
import type { Basis } from './basis.js';
import { unpackedPayment } from './packed-payment.js';
import { type PackedScores, unpackedScores } from './packed-scores.js';
import type { NamingBasis, PackedFacts, RecordedScores } from './stored-facts.js';

/** The stored input of a decision, and the hash of it. */
export interface DecisionRecord {
  facts: Facts;
  /** Null if they have a form that no release writes, so that somebody changed them. */
  scores: RecordedScores | null;
  /** Computed again from the stored text. */
  inputHash: string;
}

export interface StoredTexts {
  factsJson: string;
  basisJson?: string | undefined;
  /** The thresholds that the basis refers to. */
  thresholdsJson?: string | undefined;
}

interface Stored {
  /** Absent if nothing was evaluated. With their names for an unknown agent, who has no basis. */
  facts?: Facts | PackedFacts;
  scores: RecordedScores | PackedScores;
}

/**
 * Null for the record of a fail-safe answer, for which nothing was evaluated, and for an incomplete
 * one.
 */
export function readRecord({ factsJson, ...texts }: StoredTexts): DecisionRecord | null {
  const stored = JSON.parse(factsJson) as Stored;
  const { facts } = stored;
  const scores = scoresOf(stored);
  if (facts?.model === 'facts-1') {
    return { facts, scores, inputHash: `sha256:${canonicalHash(facts)}` };
  }
  if (!isPacked(facts)) return null;
  const basis = readBasis(texts);
  if (!basis) return null;
  return {
    facts: { ...restored(facts), ...basis.facts, model: 'facts-1' },
    scores,
    inputHash: hashOf(facts, basis.hash),
  };
}

/** With the hash of the basis that was found: another one than the recorded changes the hash. */
function hashOf(facts: PackedFacts, basisHash: string): string {
  return `sha256:${sha256Hex(JSON.stringify({ ...facts, basis: basisHash }))}`;
}

function scoresOf({ scores }: Stored): RecordedScores | null {
  if (!Array.isArray(scores)) return scores ?? null;
  try {
    return unpackedScores(scores);
  } catch {
    return null;
  }
}

/** Whether the stored input is the one that was hashed, whatever form it has. */
export function isIntact({ inputHash: recorded, ...texts }: StoredTexts & { inputHash: string }) {
  try {
    return storedInputHash(texts) === recorded;
  } catch {
    return false;
  }
}

/** Null where a part is missing. */
function storedInputHash({ factsJson, ...texts }: StoredTexts): string | null {
  const { facts } = JSON.parse(factsJson) as Stored;
  if (facts?.model === 'facts-1') return `sha256:${canonicalHash(facts)}`;
  if (!isPacked(facts)) return null;
  const basis = readBasis(texts);
  return basis ? hashOf(facts, basis.hash) : null;
}

/** False for facts in a format that no release writes. */
function isPacked(facts: Stored['facts']): facts is PackedFacts {
  return facts?.model === 'facts-4';
}

/** As they were, without what their basis has. */
function restored({ made, payment, profile, limits = noLimits, ...rare }: PackedFacts) {
  const [environment, decidedAt, clientId, actingPrincipalId] = made;
  return {
    ...rare,
    environment,
    decidedAt,
    clientId,
    actingPrincipalId,
    payment: unpackedPayment(payment),
    profile: profile && { version: profile[0], state: unpacked(profile[1]) },
    limits,
  };
}

const noLimits: Facts['limits'] = { codes: [], usage: null };

interface IncompleteRecord {
  /** Without the basis, or without its thresholds. */
  facts: object;
  scores: RecordedScores | null;
}

/**
 * What is left of a record whose basis or thresholds are missing from the database of the ledger,
 * which removes neither. Null for a complete record and for one in another format.
 */
export function incompleteRecord({ factsJson, ...texts }: StoredTexts): IncompleteRecord | null {
  const stored = JSON.parse(factsJson) as Stored;
  const { facts } = stored;
  if (!isPacked(facts) || readBasis(texts)) return null;
  const { thresholds: _named, ...found } = JSON.parse(texts.basisJson ?? '{}') as NamingBasis;
  return { facts: { ...restored(facts), ...found }, scores: scoresOf(stored) };
}

type ReadBasis = Pick<Basis, 'facts' | 'hash'>;

/** Null where a text is missing. */
function readBasis({
  basisJson,
  thresholdsJson,
}: Omit<StoredTexts, 'factsJson'>): ReadBasis | null {
  if (basisJson === undefined || thresholdsJson === undefined) return null;
  const facts = JSON.parse(basisJson) as NamingBasis;
  // Other thresholds than those it refers to change the hash of the basis.
  const hash = sha256Hex(basisJson.replace(facts.thresholds, sha256Hex(thresholdsJson)));
  return { facts: { ...facts, thresholds: JSON.parse(thresholdsJson) }, hash };
}
