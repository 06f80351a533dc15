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
import { type AttestedDecision, differingField } from './comparison.js';
import { ConfigurationError, CountersignError, UnavailableError } from './errors.js';
import type { components } from './generated/openapi.js';
import { type ClientOptions, checkedUrl } from './options.js';

type Schemas = components['schemas'];

/**
 * The attestation is not signed by the service, or not about the decision it came with. Do not
 * trust it.
 */
export class AttestationError extends CountersignError {
  override readonly name = 'AttestationError';

  constructor(code: string, message: string) {
    super(message, { code });
  }
}

/** Source of keys: a key set that you keep, or one that is fetched on demand. */
export type AttestationKeys = JSONWebKeySet | JWTVerifyGetKey;

/** A decision, an entry of the log, its attestation, or only the JWS of it. */
export type Attested = string | Schemas['DecisionAttestation'] | AttestedDecision;

export interface AttestationOptions {
  /** From your own configuration: the address of the service, in the sandbox with `/sandbox`. */
  issuer: string;
  /** Your request: the attestation then has to be about exactly this request. */
  request?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The time at which it has to be valid: by default now, so within 15 minutes of signing; `'when
   * signed'` for checks of old decisions; or any other time.
   */
  at?: Date | 'when signed' | undefined;
}

/** The signed claims of a decision. */
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
 * The published keys, cached for 5 minutes and refetched for an unknown key id. With `http://`
 * anyone on the network path could substitute a key, so it requires `allowHttp`.
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
 * Verifies that the issuer signed the attestation and that it agrees with the decision it came
 * with, and returns its claims. Makes no request except to fetch unknown keys.
 *
 * @throws AttestationError, UnavailableError if the keys cannot be fetched, or ConfigurationError
 * without an issuer or with an `at` that is no time.
 */
export async function verifyAttestation(
  attested: Attested,
  keys: AttestationKeys,
  { issuer, request, at }: AttestationOptions,
): Promise<AttestedClaims> {
  // Any environment's would do then, and an unset environment variable is undefined.
  if (typeof issuer !== 'string' || issuer === '') {
    throw new ConfigurationError('There is no issuer to verify with.');
  }
  if (!isTime(at)) {
    throw new ConfigurationError('The time to verify at is none.');
  }
  const jws = jwsOf(attested);
  const claims = await signedClaims(jws, keys, { issuer, at });
  if (typeof attested === 'object' && 'decision' in attested) compare(claims, attested);
  if (request && claims.req_hash !== requestHash(asSent(request, attested))) {
    throw new AttestationError('request_mismatch', 'It is about another request.');
  }
  return claims;
}

function isTime(at: AttestationOptions['at']): boolean {
  if (at === undefined || at === 'when signed') return true;
  return at instanceof Date && !Number.isNaN(at.getTime());
}

export function requestHash(request: Readonly<Record<string, unknown>>): string {
  const { vi_chain: _, runtime_evidence: __, metadata: ___, ...hashed } = request;
  return createHash('sha256').update(canonicalJson(hashed)).digest('base64url');
}

/** If the client generated the idempotency key, it is taken from the decision. */
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

/** True if the keys could not be fetched, which says nothing about the attestation. */
function isUnfetched(error: unknown): boolean {
  const { JOSEError, JWKSTimeout } = errors;
  if (!(error instanceof JOSEError)) return true;
  // Any other error without a specific code is a response that is not a key set.
  return error instanceof JWKSTimeout || error.code === JOSEError.code;
}

function compare(claims: AttestedClaims, decision: AttestedDecision): void {
  const differs = differingField(claims, decision);
  if (differs === undefined) return;
  throw new AttestationError('decision_mismatch', `Another ${differs} was signed.`);
}
