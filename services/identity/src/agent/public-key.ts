import { invalidField } from '@countersign/kernel/fault';
import { isRecord } from '@countersign/kernel/is-record';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { assertPoint, type DidKey, encodeDidKey } from './did-key.js';

/** A public key of an agent. `jwk` contains only the key parameters and the `kid`. */
export interface PublicKey {
  jwk: JWK;
  /** RFC 7638, base64url. */
  thumbprint: string;
  did: string;
  /** True for P-256 keys only: verifiable intent allows no algorithm but ES256. */
  viCapable: boolean;
}

type KeyProblem = 'unsupported_key' | 'private_key_present' | 'invalid_point';

class KeyError extends Error {
  constructor(readonly problem: KeyProblem) {
    super(problem);
    this.name = 'KeyError';
  }
}

const privateMembers = ['d', 'k', 'p', 'q', 'dp', 'dq', 'qi', 'oth'];
const optionalMembers = ['kid', 'use', 'alg', 'key_ops'];
const coordinatePattern = /^[A-Za-z0-9_-]{43}$/;
const maxKidLength = 256;
const maxJsonLength = 4_096;

const messages: Record<KeyProblem, string> = {
  unsupported_key: 'public_key_jwk must be a P-256 or Ed25519 signature key and nothing more.',
  private_key_present: 'public_key_jwk must not contain private members.',
  invalid_point: 'public_key_jwk is not a point on its curve in canonical base64url.',
};

/** Reads `public_key_jwk`. Throws 422 with a KeyProblem as the type. */
export async function readPublicKey(json: string): Promise<PublicKey> {
  try {
    return await toPublicKey(parseJson(json));
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    throw invalidField('public_key_jwk', error.problem, messages[error.problem]);
  }
}

function parseJson(json: string): unknown {
  if (json.length > maxJsonLength) throw new KeyError('unsupported_key');
  try {
    return JSON.parse(json);
  } catch {
    throw new KeyError('unsupported_key');
  }
}

/** Validates a JWK. Throws KeyError. */
export async function toPublicKey(value: unknown): Promise<PublicKey> {
  if (!isRecord(value)) throw new KeyError('unsupported_key');
  if (privateMembers.some((member) => member in value)) throw new KeyError('private_key_present');
  const key = readPoint(value);
  assertUse(value, key);
  const jwk: JWK =
    key.curve === 'P-256'
      ? { kty: 'EC', crv: 'P-256', x: encode(key.x), y: encode(key.y) }
      : { kty: 'OKP', crv: 'Ed25519', x: encode(key.x) };
  return {
    jwk: typeof value.kid === 'string' ? { ...jwk, kid: value.kid } : jwk,
    thumbprint: await calculateJwkThumbprint(jwk),
    did: encodeDidKey(key),
    viCapable: key.curve === 'P-256',
  };
}

function readPoint({ kty, crv, x, y }: Record<string, unknown>): DidKey {
  const isEc = kty === 'EC' && crv === 'P-256';
  const isOkp = kty === 'OKP' && crv === 'Ed25519';
  if (!isEc && !isOkp) throw new KeyError('unsupported_key');
  const key: DidKey = isEc
    ? { curve: 'P-256', x: coordinate(x), y: coordinate(y) }
    : { curve: 'Ed25519', x: coordinate(x) };
  try {
    assertPoint(key);
  } catch {
    throw new KeyError('invalid_point');
  }
  return key;
}

/** Decodes exactly 32 bytes of canonical base64url: unpadded, with zero trailing bits. */
function coordinate(value: unknown): Uint8Array {
  if (typeof value !== 'string' || !coordinatePattern.test(value)) {
    throw new KeyError('invalid_point');
  }
  const bytes = Buffer.from(value, 'base64url');
  if (encode(bytes) !== value) throw new KeyError('invalid_point');
  return bytes;
}

/** Rejects unknown members, and optional members that do not permit verifying signatures. */
function assertUse(given: Record<string, unknown>, key: DidKey): void {
  const keyMembers = key.curve === 'P-256' ? ['kty', 'crv', 'x', 'y'] : ['kty', 'crv', 'x'];
  const known = new Set([...keyMembers, ...optionalMembers]);
  const algs = key.curve === 'P-256' ? ['ES256'] : ['EdDSA', 'Ed25519'];
  const { kid, use, alg, key_ops: keyOps } = given;
  const isSigningKey =
    Object.keys(given).every((member) => known.has(member)) &&
    (kid === undefined || (typeof kid === 'string' && kid.length <= maxKidLength)) &&
    (use === undefined || use === 'sig') &&
    (alg === undefined || algs.includes(alg as string)) &&
    (keyOps === undefined || (Array.isArray(keyOps) && keyOps.join() === 'verify'));
  if (!isSigningKey) throw new KeyError('unsupported_key');
}

function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
