import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';
import { canonicalJson } from '@countersign/kernel/canonical';
import type { Cipher } from '@countersign/kernel/cipher';
import type { Environment } from '@countersign/kernel/environment';
import { freshKeyPair } from '@countersign/runtime/fresh-key-pair';

/** The signed statement: the last entry of an environment's log at a time. */
interface HeadStatement {
  environment: string;
  seq: string;
  entryHash: string;
  /** ISO time. */
  signedAt: string;
  kid: string;
}

export interface SealedKey {
  kid: string;
  sealedPrivate: Buffer;
  sealedBy: string;
}

interface NewKey extends SealedKey {
  algorithm: string;
  publicJwk: string;
}

/** A new Ed25519 key, separate from those of the decision service, which sign attestations. */
export function newChainKey(cipher: Cipher): NewKey {
  const { privateKey, publicKey } = freshKeyPair('Ed25519');
  const { kty, crv, x } = publicKey.export({ format: 'jwk' });
  const publicJwk = canonicalJson({ crv, kty, x });
  const kid = thumbprint(publicJwk);
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const { bytes, keyId } = cipher.seal(pem, placeOf(kid));
  return { kid, algorithm: 'Ed25519', publicJwk, sealedPrivate: bytes, sealedBy: keyId };
}

export function signHead(statement: HeadStatement, key: SealedKey, cipher: Cipher): string {
  const { kid, sealedBy, sealedPrivate } = key;
  const pem = cipher.open({ keyId: sealedBy, bytes: sealedPrivate }, placeOf(kid));
  return signBytes(null, statementBytes(statement), createPrivateKey(pem)).toString('base64url');
}

/** A stored head. */
export interface Head {
  seq: string;
  entryHash: string;
  signedAt: Date;
  kid: string;
  signature: string;
  /** Null if the log does not contain the key. */
  publicJwk: string | null;
}

/** The problem of a head, given the current hash of its entry; null if it verifies. */
export function headProblem(
  head: Head,
  currentHash: string | null,
  environment: Environment,
): string | null {
  const { entryHash, kid, publicJwk } = head;
  if (entryHash !== currentHash) return 'its signed head has a different entry hash';
  if (publicJwk === null) return `the key ${kid} that signed it is not published`;
  return isSigned(head, { environment, publicJwk }) ? null : 'its signature is invalid';
}

/** Whether the signature verifies under the key that the head names. */
function isSigned(
  { seq, entryHash, signedAt, kid, signature }: Head,
  { environment, publicJwk }: { environment: Environment; publicJwk: string },
): boolean {
  if (thumbprint(publicJwk) !== kid) return false;
  try {
    // Throws where the time is infinite, which the database allows.
    const statement = { environment, seq, entryHash, signedAt: signedAt.toISOString(), kid };
    const key = createPublicKey({ key: JSON.parse(publicJwk), format: 'jwk' });
    return verifyBytes(null, statementBytes(statement), key, Buffer.from(signature, 'base64url'));
  } catch {
    // A malformed key or time verifies nothing.
    return false;
  }
}

/** RFC 7638. The key is stored in the canonical form that this requires. */
function thumbprint(publicJwk: string): string {
  return createHash('sha256').update(publicJwk).digest('base64url');
}

function statementBytes(statement: HeadStatement): Buffer {
  return Buffer.from(canonicalJson(statement));
}

function placeOf(kid: string): string {
  return `chain_key ${kid}`;
}
