import { createHash, createPrivateKey, sign } from 'node:crypto';
import { canonicalJson } from '@countersign/kernel/canonical';
import { freshKeyPair } from '@countersign/runtime/fresh-key-pair';
import { inOneTurn } from '@countersign/runtime/sharing/one-turn';
import { rawSignature } from './raw-signature.js';

/** The public half of an ES256 key, without `kid`, `alg` and `use`. */
interface PublicJwk {
  kty: string;
  crv: string;
  x: string;
  y: string;
}

interface KeyPair {
  kid: string;
  publicJwk: PublicJwk;
  /** PKCS #8 as PEM; must never be stored in clear. */
  privatePem: string;
}

/** Signs with a private key, which may be in an HSM. */
export interface Signer {
  kid: string;
  /** An ES256 signature in the format of JWS: r and s, 32 bytes each. */
  sign(bytes: Uint8Array): Promise<Buffer>;
}

export function newKeyPair(): KeyPair {
  const { privateKey, publicKey } = freshKeyPair('P-256');
  const { kty = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const publicJwk = { kty, crv, x, y };
  const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { kid: thumbprint(publicJwk), publicJwk, privatePem };
}

/** RFC 7638: base64url SHA-256 over the required members in canonical form. */
export function thumbprint({ kty, crv, x, y }: PublicJwk): string {
  return createHash('sha256').update(canonicalJson({ kty, crv, x, y })).digest('base64url');
}

export function signerOf(kid: string, privatePem: string): Signer {
  // Parsed once: parsing costs more than signing.
  const key = createPrivateKey(privatePem);
  return { kid, sign: inOneTurn((bytes) => rawSignature(sign('sha256', bytes, key))) };
}
