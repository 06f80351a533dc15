import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { type ErrorCode, type ErrorTable, platformForm } from '../../errors/error-catalog.js';
import { type ErrorSamples, errorSamples as publicSamples } from '../../openapi/error-example.js';
import { requestIdHeader, retryAfterHeader } from '../../openapi/headers.js';
import { platformError } from '../../schemas/errors.js';
import type { OperatorRoute } from '../route.js';

/** What an error means here, by its status and its code. */
const meanings = {
  400: { BAD_REQUEST: 'The body is not JSON, or names nothing to change.' },
  403: { ERROR: 'The key is missing or wrong; of a callback, its signature or its timestamp.' },
  404: {
    NOT_FOUND: 'No such Client, Program, credential, authorization or `vi_chain`.',
    PRINCIPAL_NOT_FOUND: 'No such Principal in this environment.',
    AGENT_NOT_FOUND: 'No such agent in this environment.',
  },
  408: { ERROR: 'The body did not arrive in time.' },
  409: { CONFLICT: 'In conflict with what is stored.' },
  413: { ERROR: 'The body is larger than 256 KiB.' },
  415: { ERROR: 'The body is not `application/json`.' },
  422: {
    VALIDATION_ERROR:
      'Path, query or body is not valid; `details.errors` names each field, with a type.',
  },
  500: { INTERNAL_ERROR: 'A fault on our side; safe to try again with backoff.' },
  503: { SERVICE_UNAVAILABLE: 'A part of the service is away; try again with backoff.' },
} as const;
type ErrorStatus = keyof typeof meanings;

/** Each named once in the document, wherever it is answered. */
const responses = Object.fromEntries(
  Object.entries(meanings).map(([status, codes]) => [status, response(Number(status), codes)]),
);

function response(status: number, codes: Record<string, string>): ZodOpenApiResponseObject {
  const described = Object.entries(codes).map(([code, meaning]) => `\`${code}\`: ${meaning}`);
  return {
    id: `Error${status}`,
    description: described.join(' '),
    headers: z.object({
      'X-Request-ID': requestIdHeader,
      ...(status === 503 && { 'Retry-After': retryAfterHeader }),
    }),
    content: { 'application/json': { schema: platformError } },
  };
}

/** Every error a row can answer. */
export function errorResponses({ method, errors = [] }: OperatorRoute): ZodOpenApiResponsesObject {
  const ofBody: ErrorStatus[] = method === 'GET' ? [] : [400, 408, 413, 415];
  const statuses: ErrorStatus[] = [403, 422, 500, 503, ...ofBody, ...errors];
  const all = statuses.sort((a, b) => a - b).map((status) => [status, responses[status]]);
  return Object.fromEntries(all);
}

export const errorTables: readonly ErrorTable[] = [
  { title: 'Codes', envelope: platformForm, codes: codes() },
];

/** By code, with every status that it comes with. */
function codes(): ErrorCode[] {
  const byCode = new Map<string, ErrorCode>();
  for (const [status, ofStatus] of Object.entries(meanings)) {
    for (const [code, meaning] of Object.entries(ofStatus)) {
      const known = byCode.get(code);
      const more = {
        code,
        status: `${known?.status}, ${status}`,
        meaning: `${known?.meaning} ${meaning}`,
      };
      byCode.set(code, known ? more : { code, status, meaning });
    }
  }
  return [...byCode.values()];
}

export const errorSamples: ErrorSamples = {
  field: 'name',
  byStatus: {
    ...publicSamples.byStatus,
    400: { code: 'BAD_REQUEST', message: 'There is no field to update.' },
    403: { code: 'ERROR', message: 'The admin key is not valid.' },
    404: { code: 'NOT_FOUND', message: 'There is no such Client.' },
    409: { code: 'CONFLICT', message: 'The credential is revoked.' },
    422: { code: 'VALIDATION_ERROR', message: 'The request is not valid: name is required.' },
  },
};
