import type { RecordedTrace } from '@countersign/kernel/event';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import { shortNumber, wordNumber } from './trace.js';

/**
 * What is compared of a payment, as numbers in the order of `column`; what was not sent is -1, and
 * 0 where it is a hash. With it the sketch of its reasoning. Places may be added at the end, never
 * moved.
 */
export type PackedTrace = [...numbers: number[], sketch: string];

/** Where a row of numbers has what: its time and name, and then the trace. */
export const column = {
  at: 0,
  name: 1,
  currency: 2,
  amount: 3,
  mcc: 4,
  place: 5,
  merchant: 6,
  task: 7,
  alternatives: 8,
  confidence: 9,
  /** Of the length the logarithm. */
  reasoningLength: 10,
} as const;
export const columns = 11;
const traced = columns - 2;

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

export function numbersOf(packed: PackedTrace): number[] {
  return packed.slice(0, traced) as number[];
}

export function sketchIn(packed: PackedTrace): string {
  return String(packed[traced] ?? '');
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
