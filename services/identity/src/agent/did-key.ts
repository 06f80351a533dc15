import { freshKeyPair } from '@countersign/runtime/fresh-key-pair';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { base58 } from '@scure/base';

/**
 * did:key (W3C CCG v0.9) is `did:key:z` followed by the base58btc encoding of a multicodec prefix
 * and the raw public key: `ed 01` and 32 bytes for Ed25519, `80 24` and a compressed point of 33
 * bytes for P-256.
 */
export type DidKey =
  | { curve: 'Ed25519'; x: Uint8Array }
  | { curve: 'P-256'; x: Uint8Array; y: Uint8Array };

const didKeyPattern = /^did:key:z([1-9A-HJ-NP-Za-km-z]{1,128})$/;
const ed25519Codec = Uint8Array.of(0xed, 0x01);
const p256Codec = Uint8Array.of(0x80, 0x24);
const coordinateBytes = 32;

/** The canonical did:key of a public key. Throws if the key is not a valid curve point. */
export function encodeDidKey(key: DidKey): string {
  assertPoint(key);
  const bytes =
    key.curve === 'Ed25519' ? [...ed25519Codec, ...key.x] : [...p256Codec, ...compress(key)];
  return `did:key:z${base58.encode(Uint8Array.from(bytes))}`;
}

/** The public key of a did:key; null if it is malformed or of an unsupported type. */
export function decodeDidKey(did: string): DidKey | null {
  const encoded = didKeyPattern.exec(did)?.[1];
  if (!encoded) return null;
  try {
    const key = readKey(base58.decode(encoded));
    // Non-canonical encodings are rejected: with two DIDs for one key, a DID would not be unique.
    return key && encodeDidKey(key) === did ? key : null;
  } catch {
    return null;
  }
}

/** A new identifier. Its private key is discarded, so the DID identifies but proves nothing. */
export function generateDidKey(): string {
  const { publicKey } = freshKeyPair('Ed25519');
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

/** Throws unless the point is on the curve, canonically encoded and not of small order. */
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
