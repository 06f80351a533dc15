import { z } from 'zod';
import type { ZodOpenApiResponsesObject } from 'zod-openapi';
import type { AnyRoute } from '../route.js';
import { oauthError, onboardingError, platformError } from '../schemas/errors.js';
import { errorHeaders } from './headers.js';

const descriptions: Record<number, string> = {
  400: 'The request cannot be read or cannot apply.',
  401: 'No valid credential.',
  403: 'The credential may not do this.',
  404: 'No such resource, or not yours.',
  409: 'In conflict with what exists.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The request is not valid.',
  429: 'Too many requests; wait `Retry-After` seconds.',
  500: 'A fault on our side; safe to try again.',
  503: 'A part of the service is away; safe to try again.',
};

/** On the onboarding plane these may be business rules, which have the flat envelope there. */
const flatStatuses: ReadonlySet<number> = new Set([403, 404, 409, 422]);
/** The rest is refused before the token endpoint's own rules are asked. */
const oauthStatuses: ReadonlySet<number> = new Set([400, 401, 429, 503]);
const eitherEnvelope = z.union([platformError, onboardingError]);

/** Every error a row can answer, which follows from its plane, its method and its schemas. */
export function errorResponses(row: AnyRoute): ZodOpenApiResponsesObject {
  const statuses = [...errorStatuses(row)].filter((status) => !(status in row.responses));
  return Object.fromEntries(
    statuses
      .sort((a, b) => a - b)
      .map((status) => [
        status,
        {
          description: descriptions[status] ?? 'Error.',
          headers: errorHeaders(row, status),
          content: { 'application/json': { schema: envelope(row, status) } },
        },
      ]),
  );
}

function envelope(row: AnyRoute, status: number): z.ZodType {
  if (row.plane === 'token' && oauthStatuses.has(status)) return oauthError;
  return row.flatErrors && flatStatuses.has(status) ? eitherEnvelope : platformError;
}

function errorStatuses(row: AnyRoute): Set<number> {
  const statuses = new Set([...(row.documented?.errors ?? []), ...planeStatuses(row)]);
  if (row.plane !== 'public' && row.plane !== 'token' && row.method !== 'GET') {
    for (const status of [400, 413, 415]) statuses.add(status);
  }
  if (row.params) statuses.add(404);
  if (row.idempotent) statuses.add(409);
  return statuses;
}

function planeStatuses({ plane }: AnyRoute): number[] {
  switch (plane) {
    case 'public':
      return [422, 500];
    case 'token':
      return [400, 401, 413, 415, 429, 500, 503];
    case 'authorize':
      // Never a 5xx: a decision, or what the caller can mend.
      return [401, 403, 422, 429];
    default:
      return [401, 403, 422, 429, 500, 503];
  }
}
