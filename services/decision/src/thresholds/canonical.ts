import { canonicalJson, sha256Hex } from '@countersign/kernel/canonical';
import type { Thresholds } from '@countersign/kernel/threshold';

interface SerializedThresholds {
  /** Canonical JSON. */
  text: string;
  /** Hex SHA-256 of the text. */
  hash: string;
}

/** Keyed by object: these are never mutated, and most Principals share a few. */
const serialized = new WeakMap<Thresholds, SerializedThresholds>();

export function canonicalThresholds(thresholds: Thresholds): SerializedThresholds {
  const known = serialized.get(thresholds);
  if (known !== undefined) return known;
  const text = canonicalJson(thresholds);
  const fresh = { text, hash: sha256Hex(text) };
  serialized.set(thresholds, fresh);
  return fresh;
}
