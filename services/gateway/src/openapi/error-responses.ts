import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { AnyRoute } from '../route.js';
import { eitherError, oauthError, platformError } from '../schemas/errors.js';
import { errorHeaders } from './headers.js';

const descriptions = {
  400: 'The request cannot be read or cannot apply.',
  401: 'No valid credential.',
  403: 'The credential may not do this.',
  404: 'No such resource, or not yours.',
  409: 'In conflict with what exists.',
  408: 'The body did not arrive in time.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The request is not valid.',
  429: 'Too many requests; wait `Retry-After` seconds.',
  500: 'A fault on our side; safe to try again.',
  503: 'A part of the service is away; safe to try again.',
} as const;
type ErrorStatus = keyof typeof descriptions;

const envelopes = {
  Error: platformError,
  EitherError: eitherError,
  OAuthError: oauthError,
} as const;
type Envelope = keyof typeof envelopes;

/** Each named once in the document, wherever it is answered. */
const shared = Object.fromEntries(
  Object.entries(envelopes).flatMap(([envelope, schema]) =>
    Object.entries(descriptions).map(([status, description]) => [
      `${envelope}${status}`,
      {
        id: `${envelope}${status}`,
        description,
        headers: errorHeaders(Number(status)),
        content: { 'application/json': { schema } },
      } satisfies ZodOpenApiResponseObject,
    ]),
  ),
);

/** Every error a row can answer, which follows from its plane, its method and its schemas. */
export function errorResponses(row: AnyRoute): ZodOpenApiResponsesObject {
  const statuses = [...errorStatuses(row)].filter((status) => !(status in row.responses));
  return Object.fromEntries(
    statuses
      .sort((a, b) => a - b)
      .map((status) => [status, sharedResponse(envelopeOf(row, status), status)]),
  );
}

function sharedResponse(envelope: Envelope, status: ErrorStatus): ZodOpenApiResponseObject {
  const response = shared[`${envelope}${status}`];
  if (!response) throw new Error(`no response ${envelope} ${status}`);
  return response;
}

const flatStatuses: ReadonlySet<number> = new Set([403, 404, 409, 422]);
/** RFC 6749 has no word for a 404, where OAuth2 is not enabled. */
const oauthStatuses: ReadonlySet<number> = new Set([400, 401, 403, 408, 413, 415, 429, 500, 503]);

function envelopeOf(row: AnyRoute, status: ErrorStatus): Envelope {
  if (row.plane === 'token' && oauthStatuses.has(status)) return 'OAuthError';
  return row.flatErrors && flatStatuses.has(status) ? 'EitherError' : 'Error';
}

function errorStatuses(row: AnyRoute): Set<ErrorStatus> {
  const own = (row.documented?.errors ?? []) as readonly ErrorStatus[];
  const statuses = new Set<ErrorStatus>([...own, ...planeStatuses(row)]);
  if (row.plane !== 'public' && row.plane !== 'token' && row.method !== 'GET') {
    for (const status of [400, 408, 413, 415] as const) statuses.add(status);
  }
  if (row.params) statuses.add(404);
  if (row.idempotent) statuses.add(409);
  return statuses;
}

function planeStatuses({ plane }: AnyRoute): ErrorStatus[] {
  switch (plane) {
    case 'public':
      return [422, 500];
    case 'token':
      return [400, 401, 403, 408, 413, 415, 429, 500, 503];
    case 'authorize':
      // Never a 5xx: a decision, or what the caller can mend.
      return [401, 403, 422, 429];
    default:
      return [401, 403, 422, 429, 500, 503];
  }
}
