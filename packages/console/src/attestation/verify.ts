import { compactVerify, errors, importJWK } from 'jose';
import type { Attestation, KeySet, PublicKeys } from '../api/shapes.js';
import { parseExact } from '../exact-json.js';

/** The signed claims; numbers are the text that was signed. */
export interface Claims {
  iss: string;
  sub: string;
  jti: string;
  iat: string;
  exp: string;
  env: string;
  prev?: string;
  req_hash?: string;
  dec: Record<string, unknown>;
}

export type Signature =
  | { state: 'valid'; kid: string; keyEnvironment: string; claims: Claims }
  | { state: 'invalid'; why: string }
  | { state: 'key-unknown'; kid: string }
  | { state: 'key-revoked'; kid: string; revokedAt: string }
  | { state: 'cannot-check'; why: string };

const typ = 'authorization-decision+jwt';
const alg = 'ES256';

interface Published {
  keySet: KeySet;
  publicKeys: PublicKeys;
}

/**
 * Verifies the signature with the Web Crypto API. The key is taken from those that the service
 * publishes; nothing in the attestation can supply one.
 */
export async function verifySignature(
  { jws }: Pick<Attestation, 'jws'>,
  { keySet, publicKeys }: Published,
): Promise<Signature> {
  if (!globalThis.crypto?.subtle) return { state: 'cannot-check', why: insecure };
  const header = headerOf(jws);
  if (!header) return { state: 'invalid', why: 'It is not a signed token.' };
  const { kid } = header;
  if (header.alg !== alg || header.typ !== typ) {
    return { state: 'invalid', why: `It is not an ${alg} token of the type ${typ}.` };
  }
  const story = publicKeys.keys.find((key) => key.kid === kid);
  if (story?.revoked_at) return { state: 'key-revoked', kid, revokedAt: story.revoked_at };
  const jwk = keySet.keys.find((key) => key.kid === kid);
  // Keys of access tokens are published too but have no history here, since they sign no decisions.
  if (!jwk || !story) return { state: 'key-unknown', kid };
  const payload = await signedPayload(jws, jwk);
  if (payload === null) {
    return { state: 'invalid', why: 'The signature does not belong to this text.' };
  }
  const claims = claimsOf(payload);
  if (!claims) return { state: 'invalid', why: 'What is signed is no decision.' };
  return { state: 'valid', kid, keyEnvironment: story.env, claims };
}

const insecure =
  'The browser offers its cryptography only to pages that came over HTTPS or from this machine.';

/** Null if the signature is invalid; any other failure is a bug and is thrown. */
async function signedPayload(jws: string, jwk: Record<string, string>): Promise<string | null> {
  try {
    const { payload } = await compactVerify(jws, await importJWK(jwk, alg), { algorithms: [alg] });
    return new TextDecoder('utf-8', { fatal: true }).decode(payload);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
    throw error;
  }
}

interface Header {
  kid: string;
  alg: string;
  typ: string;
}

function headerOf(jws: string): Header | null {
  const [first = '', ...rest] = jws.split('.');
  if (rest.length !== 2) return null;
  try {
    const text = atob(first.replaceAll('-', '+').replaceAll('_', '/'));
    const header = JSON.parse(text) as Partial<Header> | null;
    return typeof header?.kid === 'string' ? (header as Header) : null;
  } catch {
    return null;
  }
}

function claimsOf(payload: string): Claims | null {
  try {
    const claims = parseExact(payload) as Partial<Claims> | null;
    return typeof claims?.dec === 'object' && claims.dec !== null ? (claims as Claims) : null;
  } catch {
    return null;
  }
}
