/**
 * A sketch of a text: its 3-grams, hashed, fall into 32 bins, and of each bin the smallest hash is
 * kept, in one byte. Of two texts the share of bins with the same byte is about the share of their
 * 3-grams that both have (Jaccard), so texts can be compared that nobody has kept.
 */
const bins = 32;
const binShift = 27;
/** Of a bin that no 3-gram fell into. */
const empty = 0;
const bytesAWord = 4;
const byteBits = 8;
const byteMask = 0xff;
export const sketchWords = bins / bytesAWord;
/** Scratch space: nothing waits in between. */
const bytes = Buffer.alloc(bins);
const least = new Int32Array(bins);

/** 43 characters; the text is to be normal. */
export function sketchOf(text: string): string {
  least.fill(-1);
  const grams = text.length < 3 ? text.padEnd(3) : text;
  for (let at = 0; at + 3 <= grams.length; at += 1) {
    const hash = gramHash(grams.charCodeAt(at), grams.charCodeAt(at + 1), grams.charCodeAt(at + 2));
    const bin = hash >>> binShift;
    const value = hash & 0x7ffffff;
    const known = least[bin] ?? -1;
    if (known < 0 || value < known) least[bin] = value;
  }
  for (let bin = 0; bin < bins; bin += 1) {
    const value = least[bin] ?? -1;
    bytes[bin] = value < 0 ? empty : 1 + (value % byteMask);
  }
  return bytes.toString('base64url');
}

/** Spreads three code units over 32 bits. */
function gramHash(first: number, second: number, third: number): number {
  let hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  hash = Math.imul(hash ^ Math.imul(third, 0xc2b2ae35) ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return hash ^ (hash >>> 15);
}

/** As numbers of 32 bits; of what is no sketch every bin is empty. */
export function wordsOf(sketch: string): number[] {
  bytes.fill(empty);
  bytes.write(sketch, 'base64url');
  const words: number[] = [];
  for (let at = 0; at < bins; at += bytesAWord) words.push(bytes.readUInt32BE(at));
  return words;
}

const alike = 0.9;

/** Whether of the bins that either has nine in ten are the same; the other is within a table. */
export function areAlike(
  words: readonly number[],
  others: ArrayLike<number>,
  from: number,
): boolean {
  let different = 0;
  let used = 0;
  for (let word = 0; word < sketchWords; word += 1) {
    const one = words[word] ?? 0;
    const other = others[from + word] ?? 0;
    used += bytesIn(one | other);
    if (one !== other) different += bytesIn(one ^ other);
    // Most texts are nothing like each other, which the first bins say.
    if (different > (1 - alike) * bins) return false;
  }
  return used > 0 && (used - different) / used >= alike;
}

/** How many are not 0. */
function bytesIn(word: number): number {
  let bytes = 0;
  for (let rest = word; rest !== 0; rest >>>= byteBits) if ((rest & byteMask) !== 0) bytes += 1;
  return bytes;
}
