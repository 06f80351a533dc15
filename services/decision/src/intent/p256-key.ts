import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isRecord } from '@countersign/kernel/is-record';
import { thumbprint } from '../attestation/key-pair.js';
import { base64urlBytes } from './base64url.js';
import type { SdJwt } from './sd-jwt.js';

export interface P256Key {
  key: KeyObject;
  /** RFC 7638. */
  thumbprint: string;
}

const coordinateBytes = 32;

/** Null for anything but a public P-256 key. A private key in a credential has been leaked. */
export function readP256Key(jwk: unknown): P256Key | null {
  if (!isRecord(jwk) || jwk.kty !== 'EC' || jwk.crv !== 'P-256' || 'd' in jwk) return null;
  const { x, y } = jwk;
  if (!isCoordinate(x) || !isCoordinate(y)) return null;
  const publicJwk = { kty: 'EC', crv: 'P-256', x, y };
  try {
    const key = createPublicKey({ key: publicJwk, format: 'jwk' });
    return { key, thumbprint: thumbprint(publicJwk) };
  } catch {
    // Not a point of the curve.
    return null;
  }
}

function isCoordinate(value: unknown): value is string {
  return typeof value === 'string' && base64urlBytes(value)?.length === coordinateBytes;
}

/** Always ES256: the header must not choose the algorithm (algorithm confusion). */
export function isSignedBy({ header, signed, signature }: SdJwt, { key }: P256Key): boolean {
  if (header.alg !== 'ES256') return false;
  const options = { key, dsaEncoding: 'ieee-p1363' } as const;
  return verify('sha256', Buffer.from(signed), options, signature);
}
