import type { RecordedTrace } from '@countersign/kernel/event';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import { shortNumber, wordNumber } from './trace.js';

/**
 * What is compared of a payment, as it is written; what was not sent is -1, and 0 where it is a
 * hash. Places may be added at the end, never moved.
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
  /** Of the length the logarithm. */
  reasoningLength: number,
  sketch: string,
];

interface Traced {
  amount: string;
  currency: string;
  merchant: string | null;
  trace: RecordedTrace;
}

/** Of an amount only its logarithm is compared; nothing is counted or limited by it. */
const precision = 1e9;

export function packTrace({ amount, currency, merchant, trace }: Traced): PackedTrace {
  const { mcc, place, task, alternatives, confidence, reasoning } = trace;
  return [
    knownWord(currency),
    Math.round(Math.log(Number(amount)) * precision) / precision,
    mcc === undefined ? -1 : Number(mcc),
    place === undefined ? 0 : knownWord(place),
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

/** Currencies and places are few. */
const maxWords = 1_000;
const words = new BoundedMap<string, number>(maxWords);

function knownWord(word: string): number {
  const known = words.get(word);
  if (known !== undefined) return known;
  const number = wordNumber(word);
  words.set(word, number);
  return number;
}
