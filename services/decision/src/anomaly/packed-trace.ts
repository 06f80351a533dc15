import type { RecordedTrace } from '@countersign/kernel/event';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import { shortNumber, wordNumber } from './trace.js';

/**
 * The stored form of a trace. A value that was not sent is -1, a hash that was not sent 0. Stored
 * rows outlive a release: elements may be appended, never moved.
 */
export type PackedTrace = [
  currency: number,
  amount: number,
  mcc: number,
  place: number,
  merchant: number,
  task: number,
  alternatives: number,
  confidence: number,
  /** Logarithm of the length. */
  reasoningLength: number,
  sketch: string,
];

interface Traced {
  amount: string;
  currency: string;
  merchant: string | null;
  trace: RecordedTrace;
}

/** A double is precise enough here: the logarithm is only compared, never used for a limit. */
const precision = 1e9;

export function packTrace({ amount, currency, merchant, trace }: Traced): PackedTrace {
  const { mcc, place, task, alternatives, confidence, reasoning } = trace;
  return [
    cachedWordNumber(currency),
    Math.round(Math.log(Number(amount)) * precision) / precision,
    mcc === undefined ? -1 : Number(mcc),
    place === undefined ? 0 : cachedWordNumber(place),
    merchant === null ? 0 : shortNumber(merchant),
    shortNumber(task),
    alternatives ?? -1,
    confidence ?? -1,
    reasoning ? Math.round(Math.log1p(reasoning[0]) * precision) / precision : -1,
    reasoning?.[1] ?? '',
  ];
}

export function sketchIn(packed: PackedTrace): string {
  return packed[9];
}

/** There are few currencies and places, so each is hashed once. */
const maxCachedWords = 1_000;
const cachedWords = new BoundedMap<string, number>(maxCachedWords);

function cachedWordNumber(word: string): number {
  const cached = cachedWords.get(word);
  if (cached !== undefined) return cached;
  const number = wordNumber(word);
  cachedWords.set(word, number);
  return number;
}
