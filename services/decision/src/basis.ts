import { canonicalJson, sha256Hex } from '@countersign/kernel/canonical';
import type { AgentFacts, Facts, MandateFacts } from './facts-shape.js';
import { policyHash } from './policy.js';
import { canonicalThresholds } from './thresholds/canonical.js';

export type BasisFacts = Pick<Facts, 'agent' | 'mandates' | 'principal' | 'program' | 'thresholds'>;

/**
 * What stays the same from one payment of an agent to the next, spelled and hashed once. The ledger
 * keeps it once as well, under its hash, and a record names it.
 */
export interface Basis {
  facts: BasisFacts;
  /**
   * Canonical JSON of the facts, with the hash of the thresholds in their place; null once it was
   * let go of, since it can be spelled again.
   */
  text: string | null;
  /** Hex SHA-256 of the text. */
  hash: string;
  policyHashes: Map<MandateFacts | null, string>;
}

/** By the agent as memory holds it: nobody changes these objects, others come in their place. */
const newest = new WeakMap<AgentFacts, Basis>();

/** Null for an agent nobody knows: then nothing is shared. */
export function basisOf(facts: Facts): Basis | null {
  const { agent } = facts;
  if (agent === null) return null;
  const known = newest.get(agent);
  if (known && isBasisOf(known.facts, facts)) return known;
  const { mandates, principal, program, thresholds } = facts;
  const own = { agent, mandates, principal, program, thresholds };
  const text = canonicalBasis(own);
  const basis = { facts: own, text, hash: sha256Hex(text), policyHashes: new Map() };
  newest.set(agent, basis);
  return basis;
}

/** The text for a ledger that may not have it. */
export function spelled(basis: Basis): string {
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

/** The ledger has the text, and thousands of them are a large part of what memory would hold. */
export function letGoOfText(basis: Basis): void {
  basis.text = null;
}

/** The very same objects, so the same text. */
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
  const known = basis?.policyHashes.get(mandate);
  if (known !== undefined) return known;
  const hash = policyHash({ thresholds: facts.thresholds, mandate });
  basis?.policyHashes.set(mandate, hash);
  return hash;
}
