import { canonicalJson } from '@countersign/kernel/canonical';
import type { Thresholds } from './table.js';

/** By table: nobody changes one, and most Principals share a few. */
const spelled = new WeakMap<Thresholds, string>();

/** `canonicalJson` of them, spelled once. */
export function canonicalThresholds(thresholds: Thresholds): string {
  const known = spelled.get(thresholds);
  if (known !== undefined) return known;
  const text = canonicalJson(thresholds);
  spelled.set(thresholds, text);
  return text;
}
