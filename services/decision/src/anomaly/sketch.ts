/**
 * A MinHash sketch of a text (one-permutation hashing): its 3-grams are hashed into 32 bins, and
 * each bin keeps one byte of its smallest hash. The share of bins in which two sketches agree
 * estimates the Jaccard similarity of the texts' 3-grams, so texts can be compared without storing
 * them.
 */
const bins = 32;
const binShift = 27;
/** The value of a bin that no 3-gram fell into. */
const empty = 0;
const bytesAWord = 4;
const byteBits = 8;
const byteMask = 0xff;
export const sketchWords = bins / bytesAWord;
/** Scratch space, safe to share because its users are synchronous. */
const bytes = Buffer.alloc(bins);
const minima = new Int32Array(bins);

/** 43 characters of base64url. The text must have been normalized (`normalText`). */
export function sketchOf(text: string): string {
  minima.fill(-1);
  const grams = text.length < 3 ? text.padEnd(3) : text;
  let first = grams.charCodeAt(0);
  let second = grams.charCodeAt(1);
  for (let at = 2; at < grams.length; at += 1) {
    const third = grams.charCodeAt(at);
    const hash = gramHash(first, second, third);
    first = second;
    second = third;
    const bin = hash >>> binShift;
    const value = hash & 0x7ffffff;
    const known = minima[bin] ?? -1;
    if (known < 0 || value < known) minima[bin] = value;
  }
  for (let bin = 0; bin < bins; bin += 1) {
    const value = minima[bin] ?? -1;
    bytes[bin] = value < 0 ? empty : 1 + (value % byteMask);
  }
  return bytes.toString('base64url');
}

/** Mixes three code units into 32 bits. */
function gramHash(first: number, second: number, third: number): number {
  let hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  hash = Math.imul(hash ^ Math.imul(third, 0xc2b2ae35) ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return hash ^ (hash >>> 15);
}

/** The sketch as 32-bit numbers; text that is not a sketch gives empty bins. */
export function wordsOf(sketch: string): number[] {
  bytes.fill(empty);
  bytes.write(sketch, 'base64url');
  const words: number[] = [];
  for (let at = 0; at < bins; at += bytesAWord) words.push(bytes.readUInt32BE(at));
  return words;
}

const minSimilarity = 0.9;

/**
 * Whether two sketches agree in nine of ten bins, not counting those empty in both. The second is
 * part of a longer array, beginning at `from`, so that comparing with many rows allocates nothing.
 */
export function areSimilar(
  words: readonly number[],
  others: ArrayLike<number>,
  from: number,
): boolean {
  let different = 0;
  let used = 0;
  for (let word = 0; word < sketchWords; word += 1) {
    const one = words[word] ?? 0;
    const other = others[from + word] ?? 0;
    used += nonZeroBytes(one | other);
    if (one !== other) different += nonZeroBytes(one ^ other);
    // Most pairs of texts are dissimilar, which a few bins suffice to show.
    if (different > (1 - minSimilarity) * bins) return false;
  }
  return used > 0 && (used - different) / used >= minSimilarity;
}

function nonZeroBytes(word: number): number {
  let bytes = 0;
  for (let rest = word; rest !== 0; rest >>>= byteBits) if ((rest & byteMask) !== 0) bytes += 1;
  return bytes;
}
