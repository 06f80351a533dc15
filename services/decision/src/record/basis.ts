import { canonicalJson, sha256Hex } from '@countersign/kernel/canonical';
import type { AgentFacts, Facts, MandateFacts } from '../facts/shape.js';
import { canonicalThresholds } from '../thresholds/canonical.js';
import { policyHash } from './policy.js';

export type BasisFacts = Pick<Facts, 'agent' | 'mandates' | 'principal' | 'program' | 'thresholds'>;

/**
 * The part of the facts that stays the same from one payment of an agent to the next, serialised
 * and hashed once. The ledger stores it once under its hash, by which records refer to it.
 */
export interface Basis {
  facts: BasisFacts;
  /**
   * Canonical JSON of these facts, with the hash of the thresholds in their place; null once it
   * was dropped to save memory, since it can be serialized again.
   */
  text: string | null;
  /** Hex SHA-256 of the text. */
  hash: string;
  /** As many as there are mandates that were chosen, which are few. */
  policies: Policy[];
}

interface Policy {
  mandate: MandateFacts | null;
  hash: string;
}

/** Keyed by the cached agent object; these are never mutated, only replaced. */
const newest = new WeakMap<AgentFacts, Basis>();

/** Null for an unknown agent, whose facts have nothing to share. */
export function basisOf(facts: Facts): Basis | null {
  const { agent } = facts;
  if (agent === null) return null;
  const known = newest.get(agent);
  if (known && isBasisOf(known.facts, facts)) return known;
  const { mandates, principal, program, thresholds } = facts;
  const own = { agent, mandates, principal, program, thresholds };
  const text = canonicalBasis(own);
  const basis = { facts: own, text, hash: sha256Hex(text), policies: [] };
  newest.set(agent, basis);
  return basis;
}

/** The text, serialised again if it was dropped. */
export function basisText(basis: Basis): string {
  basis.text ??= canonicalBasis(basis.facts);
  return basis.text;
}

/** Canonical JSON has the names of members in order. */
function canonicalBasis(facts: BasisFacts): string {
  const { agent, mandates, principal, program, thresholds } = facts;
  const whose = `"agent":${canonicalJson(agent)},"mandates":${canonicalJson(mandates)}`;
  const by = `"principal":${canonicalJson(principal)},"program":${canonicalJson(program)}`;
  return `{${whose},${by},"thresholds":"${canonicalThresholds(thresholds).hash}"}`;
}

/** Drops the text once the ledger has it; thousands of them would be a large part of the heap. */
export function dropText(basis: Basis): void {
  basis.text = null;
}

/** By identity of the objects, which implies the same text. */
function isBasisOf(basis: BasisFacts, facts: Facts): boolean {
  return (
    basis.principal === facts.principal &&
    basis.program === facts.program &&
    basis.thresholds === facts.thresholds &&
    basis.mandates.length === facts.mandates.length &&
    basis.mandates.every((mandate, index) => mandate === facts.mandates[index])
  );
}

/** `policyHash`, computed once for each mandate of a basis. */
export function policyHashOf(
  basis: Basis | null,
  facts: Facts,
  mandate: MandateFacts | null,
): string {
  const known = basis?.policies.find((policy) => policy.mandate === mandate);
  if (known) return known.hash;
  const hash = policyHash({ thresholds: facts.thresholds, mandate });
  basis?.policies.push({ mandate, hash });
  return hash;
}
