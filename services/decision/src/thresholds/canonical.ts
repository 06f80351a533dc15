import { canonicalJson, sha256Hex } from '@countersign/kernel/canonical';
import type { Thresholds } from './table.js';

export interface SpelledThresholds {
  /** Canonical JSON. */
  text: string;
  /** Hex SHA-256 of the text. */
  hash: string;
}

/** Keyed by object: these are never mutated, and most Principals share a few. */
const spelled = new WeakMap<Thresholds, SpelledThresholds>();

export function canonicalThresholds(thresholds: Thresholds): SpelledThresholds {
  const known = spelled.get(thresholds);
  if (known !== undefined) return known;
  const text = canonicalJson(thresholds);
  const fresh = { text, hash: sha256Hex(text) };
  spelled.set(thresholds, fresh);
  return fresh;
}
