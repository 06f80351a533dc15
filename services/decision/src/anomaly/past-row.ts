import type { PackedTrace } from './packed-trace.js';

/**
 * A payment as it is cached for comparison: 32-bit words, because there are very many of them. The
 * payment that is compared is packed by the same function, so equal values stay equal.
 */
export const column = {
  /** Epoch seconds. */
  at: 0,
  name: 1,
  currency: 2,
  amount: 3,
  place: 4,
  /** Two words: with a shorter hash, an attacker could search for a merchant that collides. */
  merchant: 5,
  task: 7,
  /** Two numbers of 16 bits, as in the next column. */
  mccAndAlternatives: 8,
  confidenceAndLength: 9,
} as const;
export const columns = 10;

const wordSize = 2 ** 32;
const halfBits = 16;
/** A 16-bit value that was not sent. An MCC that was not sent is 0, like a hash. */
const unsaid = 0xffff;
const mostSaid = unsaid - 1;

/** Resolution of a confidence from 0 to 1, and of the logarithm of a length. */
const confidenceSteps = mostSaid;
const lengthSteps = 5_000;
/** Logarithms of amounts range from -9.3 to 34.6; a step is a hundred millionth of the amount. */
export const amountSteps = 9e7;
const leastAmount = -10;

export function pastRow(at: number, name: number, packed: PackedTrace): number[] {
  const [currency, amount, mcc, place, merchant, task, alternatives, confidence, length] = packed;
  return [
    secondOf(at),
    lowWord(name),
    lowWord(currency),
    bounded((amount - leastAmount) * amountSteps, wordSize - 1),
    lowWord(place),
    Math.floor(merchant / wordSize),
    lowWord(merchant),
    lowWord(task),
    halves(Math.max(0, mcc), said(alternatives, 1)),
    halves(said(confidence, confidenceSteps), said(length, lengthSteps)),
  ];
}

/** Epoch milliseconds do not fit into 32 bits. */
function secondOf(at: number): number {
  return bounded(Math.floor(at / 1_000), wordSize - 1);
}

/** Consecutive rows; each begins at a multiple of `columns`. */
type Rows = ArrayLike<number>;

export function merchantIn(rows: Rows, from: number): number {
  return wideAt(rows, from + column.merchant);
}

/** A number that spans two words. */
export function wideAt(rows: Rows, place: number): number {
  return (rows[place] ?? 0) * wordSize + (rows[place + 1] ?? 0);
}

export function mccIn(rows: Rows, from: number): number {
  return (rows[from + column.mccAndAlternatives] ?? 0) >>> halfBits;
}

/** Null if it was not sent, as in the next two. */
export function alternativesIn(rows: Rows, from: number): number | null {
  const said = (rows[from + column.mccAndAlternatives] ?? 0) & unsaid;
  return said === unsaid ? null : said;
}

export function confidenceIn(rows: Rows, from: number): number | null {
  const said = (rows[from + column.confidenceAndLength] ?? 0) >>> halfBits;
  return said === unsaid ? null : said * (1 / confidenceSteps);
}

export function lengthIn(rows: Rows, from: number): number | null {
  const said = (rows[from + column.confidenceAndLength] ?? 0) & unsaid;
  return said === unsaid ? null : said * (1 / lengthSteps);
}

/** The lower 32 bits of a hash; 0 only if the hash was not sent. */
function lowWord(hash: number): number {
  return hash === 0 ? 0 : hash % wordSize || 1;
}

/** Negative values were not sent. */
function said(value: number, steps: number): number {
  return value < 0 ? unsaid : bounded(value * steps, mostSaid);
}

function halves(first: number, second: number): number {
  return ((first << halfBits) | second) >>> 0;
}

function bounded(value: number, most: number): number {
  return Math.min(most, Math.max(0, Math.round(value)));
}
