import { invalidField } from '@countersign/kernel/fault';
import { isRecord } from '@countersign/kernel/is-record';
import { compactVerify, importJWK } from 'jose';
import { type PublicKey, toPublicKey } from './public-key.js';

/** The values that a proof must match. Times are epoch milliseconds. */
export interface ProofExpectation {
  publicKey: PublicKey;
  did: string;
  principalId: string;
  /** `{base_url}`, in sandbox `{base_url}/sandbox`. */
  audience: string;
  /** `{base_url}/api/v1/agents` */
  target: string;
  nowMs: number;
}

/** A valid proof. Until `expiresAtMs`, `jti` must not be accepted again for the same key. */
export interface VerifiedProof {
  jti: string;
  expiresAtMs: number;
}

type ProofProblem =
  | 'missing'
  | 'malformed'
  | 'invalid_typ'
  | 'alg_not_allowed'
  | 'signature_invalid'
  | 'jwk_mismatch'
  | 'did_mismatch'
  | 'aud_mismatch'
  | 'principal_mismatch'
  | 'expired'
  | 'replayed';

const messages: Record<ProofProblem, string> = {
  missing: 'registration_proof is required with public_key_jwk.',
  malformed: 'registration_proof is not a compact JWS of the documented form.',
  invalid_typ: 'registration_proof must have typ agent-registration-proof+jwt.',
  alg_not_allowed: 'registration_proof must be signed with ES256 or EdDSA, matching its key.',
  signature_invalid: 'The signature of registration_proof does not verify.',
  jwk_mismatch: 'registration_proof was signed with a key other than public_key_jwk.',
  did_mismatch: 'registration_proof or public_key_jwk does not match the DID.',
  aud_mismatch: 'registration_proof was issued for another service or request.',
  principal_mismatch: 'registration_proof was issued for another principal.',
  expired: 'registration_proof is expired, not valid yet, or valid for too long.',
  replayed: 'registration_proof has been used before; create a new one.',
};

export function proofRefused(problem: ProofProblem): Error {
  return invalidField('registration_proof', problem, messages[problem]);
}

const maxBytes = 4_096;
const maxLifetimeSeconds = 300;
const skewSeconds = 60;
const base64url = /^[A-Za-z0-9_-]+$/;
/** At least 128 bits, which take 22 characters of base64url; a UUID has 36. */
const jtiPattern = /^[\x21-\x7e]{22,128}$/;

/** Verifies a proof of possession. Throws 422 on `registration_proof`, with a ProofProblem. */
export async function verifyRegistrationProof(
  proof: string,
  expected: ProofExpectation,
): Promise<VerifiedProof> {
  const { header, claims } = parseProof(proof);
  await assertSigned(proof, header, expected.publicKey);
  return assertClaims(claims, expected);
}

interface ParsedProof {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
}

function parseProof(proof: string): ParsedProof {
  if (proof === '') throw proofRefused('missing');
  const parts = proof.split('.');
  const [header, payload] = parts;
  const wellFormed = parts.length === 3 && parts.every((part) => base64url.test(part));
  if (proof.length > maxBytes || !wellFormed || !header || !payload) {
    throw proofRefused('malformed');
  }
  return { header: parseObject(header), claims: parseObject(payload) };
}

function parseObject(part: string): Record<string, unknown> {
  try {
    const bytes = Buffer.from(part, 'base64url');
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    // Non-canonical base64url would allow several tokens for the same content.
    const canonical = bytes.toString('base64url') === part;
    if (!canonical || !isRecord(value)) throw new TypeError('not an object');
    return value;
  } catch {
    throw proofRefused('malformed');
  }
}

async function assertSigned(
  proof: string,
  header: Record<string, unknown>,
  publicKey: PublicKey,
): Promise<void> {
  const { typ, alg, jwk } = header;
  if (typ !== 'agent-registration-proof+jwt') throw proofRefused('invalid_typ');
  const algs = publicKey.viCapable ? ['ES256'] : ['EdDSA', 'Ed25519'];
  // A header without a readable key is malformed, whatever is wrong with the key.
  const given = await toPublicKey(jwk).catch(() => null);
  if (Object.keys(header).length !== 3 || given === null) throw proofRefused('malformed');
  if (typeof alg !== 'string' || !['ES256', 'EdDSA', 'Ed25519'].includes(alg)) {
    throw proofRefused('alg_not_allowed');
  }
  if (given.thumbprint !== publicKey.thumbprint) throw proofRefused('jwk_mismatch');
  if (!algs.includes(alg)) throw proofRefused('alg_not_allowed');
  const { kid: _, ...key } = publicKey.jwk;
  await compactVerify(proof, await importJWK(key, alg), { algorithms: [alg] }).catch(() => {
    throw proofRefused('signature_invalid');
  });
}

function assertClaims(claims: Record<string, unknown>, expected: ProofExpectation): VerifiedProof {
  const { iss, sub, aud, htm, htu, principal_id: principalId, iat, exp, jti } = claims;
  const texts = [iss, sub, htm, htu, principalId];
  const wellFormed =
    texts.every((text) => typeof text === 'string') &&
    isTime(iat) &&
    isTime(exp) &&
    typeof jti === 'string' &&
    jtiPattern.test(jti);
  if (!wellFormed) throw proofRefused('malformed');
  if (iss !== expected.did || sub !== expected.did) throw proofRefused('did_mismatch');
  if (aud !== expected.audience) throw proofRefused('aud_mismatch');
  if (htm !== 'POST' || htu !== expected.target) throw proofRefused('aud_mismatch');
  if (principalId !== expected.principalId) throw proofRefused('principal_mismatch');
  const now = expected.nowMs / 1_000;
  const inTime = now >= iat - skewSeconds && now <= exp + skewSeconds;
  const lifetime = exp - iat;
  if (!inTime || lifetime <= 0 || lifetime > maxLifetimeSeconds) throw proofRefused('expired');
  return { jti, expiresAtMs: (exp + skewSeconds) * 1_000 };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e11;
}
