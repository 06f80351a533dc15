import { generateKeyPairSync } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { base58 } from '@scure/base';

/**
 * did:key, W3C CCG v0.9: `did:key:z` and the base58btc of a multicodec and the raw public key.
 * Ed25519: codec `ed 01`, 32 bytes. P-256: codec `80 24`, 33 bytes compressed.
 */
export type DidKey =
  | { curve: 'Ed25519'; x: Uint8Array }
  | { curve: 'P-256'; x: Uint8Array; y: Uint8Array };

const didKeyPattern = /^did:key:z([1-9A-HJ-NP-Za-km-z]{1,128})$/;
const ed25519Codec = Uint8Array.of(0xed, 0x01);
const p256Codec = Uint8Array.of(0x80, 0x24);
const coordinateBytes = 32;

/** The one spelling of a key's DID. Throws for what is not a point that may be a public key. */
export function encodeDidKey(key: DidKey): string {
  assertPoint(key);
  const bytes =
    key.curve === 'Ed25519' ? [...ed25519Codec, ...key.x] : [...p256Codec, ...compress(key)];
  return `did:key:z${base58.encode(Uint8Array.from(bytes))}`;
}

/** The key a did:key names, or null where it names none that we verify. */
export function decodeDidKey(did: string): DidKey | null {
  const encoded = didKeyPattern.exec(did)?.[1];
  if (!encoded) return null;
  try {
    const key = readKey(base58.decode(encoded));
    // One key, one DID: uniqueness would mean nothing if a key had two spellings.
    return key && encodeDidKey(key) === did ? key : null;
  } catch {
    return null;
  }
}

/** A new identifier. Its private half is never kept: it names an agent and proves nothing. */
export function generateDidKey(): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  return encodeDidKey({ curve: 'Ed25519', x: Buffer.from(x ?? '', 'base64url') });
}

function readKey(bytes: Uint8Array): DidKey | null {
  const body = bytes.subarray(2);
  if (startsWith(bytes, ed25519Codec) && body.length === coordinateBytes) {
    return { curve: 'Ed25519', x: body };
  }
  if (startsWith(bytes, p256Codec) && body.length === coordinateBytes + 1) {
    const point = p256.Point.fromBytes(body).toBytes(false);
    return { curve: 'P-256', x: point.subarray(1, 33), y: point.subarray(33) };
  }
  return null;
}

/** On the curve, in its canonical encoding, and not one of the few points that prove nothing. */
export function assertPoint(key: DidKey): void {
  if (key.x.length !== coordinateBytes) throw new RangeError('x is not 32 bytes');
  if (key.curve === 'Ed25519') {
    const point = ed25519.Point.fromBytes(key.x, false);
    if (point.isSmallOrder() || !point.isTorsionFree()) throw new RangeError('small-order point');
    return;
  }
  if (key.y.length !== coordinateBytes) throw new RangeError('y is not 32 bytes');
  p256.Point.fromBytes(Uint8Array.of(4, ...key.x, ...key.y)).assertValidity();
}

function compress({ x, y }: { x: Uint8Array; y: Uint8Array }): Uint8Array {
  const odd = (y.at(-1) ?? 0) & 1;
  return Uint8Array.of(2 + odd, ...x);
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}
