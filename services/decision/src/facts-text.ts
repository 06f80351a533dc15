import { canonicalJson, canonicalMemory, canonicalObject } from '@countersign/kernel/canonical';
import type { Facts } from './facts-shape.js';

/** Of objects that many decisions share, and that nobody changes: they come out of memory. */
export const sharedText = canonicalMemory();

/** The canonical JSON of facts; what is not of this one decision is not spelled again. */
export function canonicalFacts(facts: Facts): string {
  const { agent, principal, program, mandates, thresholds, profile, payment, ...own } = facts;
  const members: Record<string, string | undefined> = {
    agent: sharedOrNull(agent),
    principal: sharedOrNull(principal),
    program: sharedOrNull(program),
    mandates: `[${mandates.map(sharedText).join()}]`,
    thresholds: sharedText(thresholds),
    profile: sharedOrNull(profile),
    // Made in the canonical order of names, and of nothing but text, numbers and null.
    payment: JSON.stringify(payment),
  };
  for (const [name, value] of Object.entries(own)) {
    members[name] = value === undefined ? undefined : canonicalJson(value);
  }
  return canonicalObject(members);
}

function sharedOrNull(value: object | null): string {
  return value === null ? 'null' : sharedText(value);
}
