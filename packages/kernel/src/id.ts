import { randomFillSync } from 'node:crypto';
import { V7Generator } from 'uuidv7';

/** Prefix of every kind of object that has its own identifier. */
export const idPrefixes = {
  client: 'cli',
  program: 'prg',
  principal: 'prn',
  agent: 'agt',
  mandate: 'mnd',
  authorization: 'auth',
  transaction: 'txn',
  webhook: 'wh',
  credential: 'acr',
  outcome: 'out',
  settlement: 'stl',
  event: 'evt',
  verificationSession: 'vs',
  delivery: 'whd',
  fraudCase: 'frd',
  fraudPattern: 'pat',
  auditEvent: 'aud',
} as const;
export type IdKind = keyof typeof idPrefixes;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const suffixLength = 26;
const suffixPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** Filled in bulk: a system call for a few bytes costs more than the rest of making an id. */
const randoms = new Uint32Array(1_024);
let drawn = randoms.length;

const generator = new V7Generator({
  nextUint32: () => {
    if (drawn === randoms.length) {
      randomFillSync(randoms);
      drawn = 0;
    }
    const random = randoms[drawn] ?? 0;
    // Wiped after use, so that ids already issued cannot be read from memory.
    randoms[drawn] = 0;
    drawn += 1;
    return random;
  },
});

/** A new id: prefix + `_` + 26 Crockford base32 characters of a UUIDv7, so ids sort by time. */
export function newId(kind: IdKind): string {
  return `${idPrefixes[kind]}_${encodeBase32(generator.generate().bytes)}`;
}

/** True for a syntactically valid id of this kind; says nothing about existence. */
export function isId(kind: IdKind, value: string): boolean {
  const prefix = `${idPrefixes[kind]}_`;
  return (
    value.length === prefix.length + suffixLength &&
    value.startsWith(prefix) &&
    suffixPattern.test(value.slice(prefix.length))
  );
}

/** The TypeID suffix: 128 bits, two leading zero bits, five bits a character. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 2;
  let buffer = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(buffer >> bits) & 31];
    }
  }
  return text;
}
