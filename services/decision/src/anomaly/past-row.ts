import type { PackedTrace } from './packed-trace.js';

/**
 * A payment as it is held to be compared with: words of 32 bits, since there are very many. What is
 * compared with them is made by the same function, so what was equal is equal here.
 */
export const column = {
  /** Epoch seconds. */
  at: 0,
  name: 1,
  currency: 2,
  amount: 3,
  place: 4,
  /** Of two words, for here it would be of use to somebody to find another with the same hash. */
  merchant: 5,
  task: 7,
  /** Two numbers of 16 bits, and so the next. */
  mccAndAlternatives: 8,
  confidenceAndLength: 9,
} as const;
export const columns = 10;

const wordSize = 2 ** 32;
const halfBits = 16;
/** What a half has where nothing was sent; an MCC is 0 then, as hashes are. */
const unsaid = 0xffff;
const mostSaid = unsaid - 1;

/** Of a number from nought to one, and of the logarithm of a length. */
const confidenceSteps = mostSaid;
const lengthSteps = 5_000;
/** Logarithms of amounts are from -9.3 to 34.6: each step is a hundred millionth of the amount. */
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

/** Epoch milliseconds are more than there are bits for. */
function secondOf(at: number): number {
  return bounded(Math.floor(at / 1_000), wordSize - 1);
}

/** Words of rows one after another; each begins at a multiple of `columns`. */
type Rows = ArrayLike<number>;

export function merchantIn(rows: Rows, from: number): number {
  return wideAt(rows, from + column.merchant);
}

/** A number of two words. */
export function wideAt(rows: Rows, place: number): number {
  return (rows[place] ?? 0) * wordSize + (rows[place + 1] ?? 0);
}

export function mccIn(rows: Rows, from: number): number {
  return (rows[from + column.mccAndAlternatives] ?? 0) >>> halfBits;
}

/** Null where nothing was sent, and so the next. */
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

/** Of a hash, which is never 0. */
function lowWord(hash: number): number {
  return hash === 0 ? 0 : hash % wordSize || 1;
}

/** What was not sent is negative. */
function said(value: number, steps: number): number {
  return value < 0 ? unsaid : bounded(value * steps, mostSaid);
}

function halves(first: number, second: number): number {
  return ((first << halfBits) | second) >>> 0;
}

function bounded(value: number, most: number): number {
  return Math.min(most, Math.max(0, Math.round(value)));
}
