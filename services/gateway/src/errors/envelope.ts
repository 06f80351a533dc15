import { Fault, type FaultKind, isOutage } from '@countersign/kernel/fault';
import type { EnvelopeOptions, ErrorReply, Failure } from './failure.js';
import { flatCode, flatEnvelope } from './flat-envelope.js';
import { oauthEnvelope } from './oauth-envelope.js';
import { OauthRefusal } from './oauth-refusal.js';
import { platformEnvelope } from './platform-envelope.js';
import { Refusal } from './refusal.js';

const statusByKind: Record<FaultKind, number> = {
  invalid: 422,
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  exhausted: 429,
  unavailable: 503,
  deadline: 503,
  internal: 500,
};

/** Renders whatever was thrown in the envelope of its route. An unexpected error is a bare 500. */
export function errorReply(error: unknown, options: EnvelopeOptions): ErrorReply {
  const oauth = error instanceof OauthRefusal ? error : oauthRefusal(error, options);
  if (oauth) return oauthEnvelope(oauth);
  const failure = toFailure(error, options.route?.plane === 'authorize');
  const code = options.route?.flatErrors ? flatCode(failure) : null;
  const body = code
    ? flatEnvelope({ ...failure, code }, options.requestId)
    : platformEnvelope(failure, options);
  return { status: failure.status, headers: failure.headers, body };
}

function toFailure(error: unknown, neverServerError: boolean): Failure {
  if (error instanceof Refusal) return { ...pick(error), errors: [] };
  const fault = error instanceof Fault ? error : unforeseen;
  const status = statusByKind[fault.kind];
  if (neverServerError && status >= 500) return busy;
  return {
    status,
    code: fault.code,
    message: status === 500 ? unforeseen.message : fault.message,
    errors: fault.errors ?? [],
    headers: headersOf(status, fault),
  };
}

/** A body that the token endpoint cannot read. */
const unreadable: ReadonlySet<number> = new Set([400, 408, 413, 415]);

/**
 * Whoever asks for a token reads the words of RFC 6749, also where a part is away, the body is not
 * read at all, or the credential may not be used from where it is. Null for what has no word there.
 */
function oauthRefusal(error: unknown, { route }: EnvelopeOptions): OauthRefusal | null {
  if (route?.plane !== 'token') return null;
  if (isOutage(error)) return outage(error);
  if (isDefect(error)) return new OauthRefusal('server_error', unforeseen.message, { status: 500 });
  if (error instanceof Fault && error.kind === 'forbidden') {
    return new OauthRefusal('unauthorized_client', error.message, { status: 403 });
  }
  if (!(error instanceof Refusal) || !unreadable.has(error.status)) return null;
  const { status, headers } = error;
  return new OauthRefusal('invalid_request', error.message, { status, headers });
}

function outage({ message, retryAfterSeconds = 1 }: Fault): OauthRefusal {
  return new OauthRefusal('temporarily_unavailable', message, {
    status: 503,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

/** Of this service, not of a part that it asks. */
export function isDefect(error: unknown): boolean {
  if (error instanceof Refusal) return false;
  return !(error instanceof Fault) || error.kind === 'internal';
}

function pick({ status, code, message, headers }: Refusal) {
  return { status, code, message, headers };
}

function headersOf(status: number, fault: Fault): Record<string, string> {
  const wait = fault.retryAfterSeconds ?? (status === 429 || status === 503 ? 1 : null);
  return {
    ...(wait !== null && { 'Retry-After': String(wait) }),
    ...(status === 401 && { 'WWW-Authenticate': 'ApiKey, Bearer' }),
  };
}

const unforeseen = new Fault('internal', {
  message: 'Something went wrong on our side; it is safe to try again.',
});

/**
 * /authorize answers with a decision or a 4xx, never a 5xx. Where an outage keeps its caller from
 * being authenticated nothing can be decided, so the answer is a 429 that asks to retry.
 */
const busy: Failure = {
  status: 429,
  code: 'RATE_LIMITED',
  message: 'The service cannot take this request at this moment; try again.',
  errors: [],
  headers: { 'Retry-After': '1' },
};
