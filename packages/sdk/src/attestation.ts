import { createHash } from 'node:crypto';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { canonicalJson } from './canonical.js';
import { CountersignError, UnavailableError } from './errors.js';
import type { components } from './generated/openapi.js';
import { type ClientOptions, checkedUrl } from './options.js';

type Schemas = components['schemas'];

/** Not what the service signed, or not about what it is shown for: believe nothing of it. */
export class AttestationError extends CountersignError {
  override readonly name = 'AttestationError';

  constructor(code: string, message: string) {
    super(message, { code });
  }
}

/** Where keys come from: a key set that you keep, or one that is fetched as it is needed. */
export type AttestationKeys = JSONWebKeySet | JWTVerifyGetKey;

/** A decision, an entry of the log, its attestation, or the JWS of it alone. */
export type Attested = string | Schemas['DecisionAttestation'] | AttestedDecision;

type AttestedDecision = Pick<
  Schemas['Authorization'],
  'attestation' | 'decision' | 'agent_id' | 'mandate_id' | 'transaction_id' | 'correlation_key'
> &
  ({ authorization_id: string } | { id: string });

export interface AttestationOptions {
  /** From your own configuration: the address of the service, in the sandbox with `/sandbox`. */
  issuer: string;
  /** What was asked for: the attestation then has to be about this very request. */
  request?: Readonly<Record<string, unknown>> | undefined;
  /**
   * When it has to hold: now, where nothing is said, so for 15 minutes; `'when signed'` for whoever
   * looks back at it; or any other time.
   */
  at?: Date | 'when signed' | undefined;
}

/** What was decided, as it is signed. */
export interface AttestedClaims extends JWTPayload {
  jti: string;
  env: 'live' | 'sandbox';
  ver: number;
  prev?: string;
  req_hash: string;
  dec: {
    authorization_id: string;
    transaction_id: string;
    correlation_key: string;
    decision: 'APPROVE' | 'DECLINE' | 'STEP_UP';
    reason_codes: string[];
    agent_id: string;
    principal_id: string;
    mandate_id: string | null;
    mandate_hash: string | null;
    amount: string;
    currency: string;
    [name: string]: unknown;
  };
}

const keysTimeoutMs = 5_000;
const keysAgeMs = 300_000;
const keysPauseMs = 30_000;

/**
 * The published keys: kept for 5 minutes, and fetched anew for a key that is not among them. Over
 * `http://` anybody on the way could put in a key of his own, so it takes `allowHttp`.
 */
export function remoteKeys(
  baseUrl: string,
  { allowHttp, fetch: given = fetch }: Pick<ClientOptions, 'allowHttp' | 'fetch'> = {},
): JWTVerifyGetKey {
  const url = checkedUrl({ baseUrl, allowHttp });
  const address = new URL(`${url}/api/v1/.well-known/jwks.json`);
  return createRemoteJWKSet(address, {
    timeoutDuration: keysTimeoutMs,
    cacheMaxAge: keysAgeMs,
    cooldownDuration: keysPauseMs,
    [customFetch]: (...request) => given(...request),
  });
}

/**
 * The claims of an attestation that the issuer signed, and that says what the decision says which
 * it came with. Asks the service nothing, but for keys that are not at hand.
 * @throws AttestationError, or UnavailableError where the keys cannot be fetched.
 */
export async function verifyAttestation(
  attested: Attested,
  keys: AttestationKeys,
  { issuer, request, at }: AttestationOptions,
): Promise<AttestedClaims> {
  const jws = jwsOf(attested);
  const claims = await signedClaims(jws, keys, { issuer, at });
  if (typeof attested === 'object' && 'decision' in attested) compare(claims, attested);
  if (request && claims.req_hash !== requestHash(asSent(request, attested))) {
    throw new AttestationError('request_mismatch', 'It is about another request.');
  }
  return claims;
}

/** base64url SHA-256 over the canonical JSON of the body that was sent to /authorize. */
export function requestHash(request: Readonly<Record<string, unknown>>): string {
  const { vi_chain: _, runtime_evidence: __, metadata: ___, ...hashed } = request;
  return createHash('sha256').update(canonicalJson(hashed)).digest('base64url');
}

/** A key that the client made for the request came back with the decision. */
function asSent(request: Readonly<Record<string, unknown>>, attested: Attested) {
  const { idempotency_key } = Object(attested) as { idempotency_key?: string };
  return { ...request, idempotency_key: request.idempotency_key ?? idempotency_key };
}

function jwsOf(attested: Attested): string {
  if (typeof attested === 'string') return attested;
  if ('jws' in attested) return attested.jws;
  if (attested.attestation) return attested.attestation.jws;
  throw new AttestationError('not_attested', 'This decision was not signed.');
}

async function signedClaims(
  jws: string,
  keys: AttestationKeys,
  { issuer, at }: Pick<AttestationOptions, 'issuer' | 'at'>,
): Promise<AttestedClaims> {
  const key = typeof keys === 'function' ? keys : createLocalJWKSet(keys);
  try {
    const when = at === 'when signed' ? new Date((decodeJwt(jws).iat ?? 0) * 1_000) : at;
    const { payload } = await jwtVerify<AttestedClaims>(jws, key, {
      issuer,
      typ: 'authorization-decision+jwt',
      algorithms: ['ES256'],
      requiredClaims: ['jti', 'iat', 'exp', 'dec', 'req_hash'],
      ...(when && { currentDate: when }),
    });
    return payload;
  } catch (error) {
    if (isUnfetched(error)) {
      throw new UnavailableError('The keys could not be fetched.', { code: 'KEYS_UNAVAILABLE' });
    }
    const { code = 'invalid', message } = error as { code?: string; message: string };
    throw new AttestationError(code, `The attestation does not hold: ${message}.`);
  }
}

/** Says nothing of the attestation: no key was there to try it with. */
function isUnfetched(error: unknown): boolean {
  const { JOSEError, JWKSTimeout } = errors;
  if (!(error instanceof JOSEError)) return true;
  // What else has no code of its own is an answer to the fetch that is no key set.
  return error instanceof JWKSTimeout || error.code === JOSEError.code;
}

const compared = [
  'decision',
  'agent_id',
  'mandate_id',
  'transaction_id',
  'correlation_key',
] as const;

/** The signature covers the claims alone: what was answered beside them has to say the same. */
function compare({ jti, dec }: AttestedClaims, decision: AttestedDecision): void {
  const id = 'authorization_id' in decision ? decision.authorization_id : decision.id;
  const other = compared.find((name) => decision[name] !== dec[name]);
  const differs = jti !== id || dec.authorization_id !== id ? 'authorization_id' : other;
  if (differs === undefined) return;
  throw new AttestationError('decision_mismatch', `Another ${differs} was signed.`);
}
