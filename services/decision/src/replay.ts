import { canonicalHash, sha256Hex } from '@countersign/kernel/canonical';
import { evaluate } from './evaluate.js';
import type { Facts } from './facts-shape.js';
import { canonicalFacts } from './facts-text.js';
import type { Verdict } from './verdict.js';

/** What the ledger keeps as `facts_json`: the input of the judge, and the numbers it came to. */
export interface DecisionRecord {
  facts: Facts;
  scores: Pick<Verdict, 'kya' | 'zone' | 'anomaly' | 'risk'>;
}

export interface RecordText {
  factsJson: string;
  /** `sha256:` over the canonical JSON of the facts alone. */
  inputHash: string;
}

/** The record; its facts are canonical JSON and spelled once, for text and hash. */
export function recordText(facts: Facts, verdict: Verdict): RecordText {
  const { kya, zone, anomaly, risk } = verdict;
  const scores: DecisionRecord['scores'] = { kya, zone, anomaly, risk };
  const factsText = canonicalFacts(facts);
  return {
    factsJson: `{"facts":${factsText},"scores":${JSON.stringify(scores)}}`,
    inputHash: `sha256:${sha256Hex(factsText)}`,
  };
}

export function inputHash(facts: Facts): string {
  return `sha256:${canonicalHash(facts)}`;
}

/** Null for the record of a fail-safe answer, which nobody judged. */
export function readRecord(factsJson: string): DecisionRecord | null {
  const record = JSON.parse(factsJson) as Partial<DecisionRecord>;
  return record.facts?.model === 'facts-1' ? (record as DecisionRecord) : null;
}

/** Judges a record again: the verdict is the one that was given, or the record was changed. */
export function replay(factsJson: string): Verdict | null {
  const record = readRecord(factsJson);
  return record ? evaluate(record.facts) : null;
}
