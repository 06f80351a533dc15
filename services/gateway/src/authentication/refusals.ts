import { Fault } from '@countersign/kernel/fault';
import { OauthRefusal } from '../errors/oauth-refusal.js';
import { Refusal } from '../errors/refusal.js';
import type { Access } from './credential.js';
import { type Refused, refusedHeaders } from './rate-limits.js';

/** One text for a key that is missing, unknown, mistyped, revoked or of the wrong kind. */
export function invalidApiKey(): Fault {
  return new Fault('unauthenticated', {
    code: 'INVALID_API_KEY',
    message: 'The API key is missing or not valid for this endpoint.',
  });
}

export function invalidToken(): Fault {
  return new Fault('unauthenticated', {
    code: 'ERROR',
    message: 'The access token is not valid or has expired.',
  });
}

/** Only keys of one Principal say why they no longer work: whoever holds one made it himself. */
export function principalKeyProblem(problem: 'expired' | 'revoked'): Fault {
  return problem === 'expired'
    ? new Fault('unauthenticated', { code: 'API_KEY_EXPIRED', message: 'The API key has expired.' })
    : new Fault('unauthenticated', {
        code: 'API_KEY_REVOKED',
        message: 'The API key has been revoked.',
      });
}

/**
 * The credential is good, and not for this. The contract has one code for both, so the type says
 * which it was: who is at the wrong address has lost no scope.
 */
export function scopeMissing(scope: string | null): Fault {
  const wanted = scope === null ? 'needs a credential without scopes' : `needs the scope ${scope}`;
  return notCovered('The scopes of this credential or access token do not cover this path.', {
    type: 'scope_missing',
    message: wanted,
  });
}

/** What it has is named by the type, as `read_access` or `spend_access`. */
export function accessMissing(access: Access, needed: Access): Fault {
  const allowed = access === 'read' ? 'read' : 'read and request payments';
  return notCovered(`This credential may only ${allowed}.`, {
    type: `${access}_access`,
    message: `needs a credential with access ${needed}`,
  });
}

export function addressNotAllowed(): Fault {
  const message = 'This credential may not be used from this address.';
  return notCovered(message, { type: 'address_not_allowed', message: 'is not on its allowlist' });
}

function notCovered(message: string, why: { type: string; message: string }): Fault {
  return new Fault('forbidden', { code: 'ERROR', message, errors: [{ field: '', ...why }] });
}

const addressFailedTooOften =
  'Too many failed authentications from this address; wait before trying again.';

export function tooManyFailures(blocked: Refused, now: number): Refusal {
  return new Refusal(429, {
    code: 'RATE_LIMITED',
    message: addressFailedTooOften,
    headers: refusedHeaders(blocked, now),
  });
}

export function tooManyExchanges(refused: Refused, now: number): OauthRefusal {
  return oauthLimit('Too many requests; wait and try again.', refusedHeaders(refused, now));
}

/** The same as tooManyFailures, for the token endpoint. */
export function tooManyFailedExchanges(blocked: Refused, now: number): OauthRefusal {
  return oauthLimit(addressFailedTooOften, refusedHeaders(blocked, now));
}

/** RFC 6749 has no error for a limit; the status and the headers say it. */
function oauthLimit(message: string, headers: Record<string, string>): OauthRefusal {
  return new OauthRefusal('temporarily_unavailable', message, { status: 429, headers });
}

/** Nobody can say whether the credential is good. */
export function cannotVerify(cause: unknown): Fault {
  return new Fault('unavailable', {
    message: 'Credentials cannot be checked at this moment; try again.',
    retryAfterSeconds: 1,
    internal: 'the credential store is away',
    cause,
  });
}
