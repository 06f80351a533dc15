import { z } from 'zod';
import { idempotencyKeyForm } from '../middleware/idempotency-key.js';
import type { AnyRoute } from '../route.js';

/** A response header that the document names once. */
function header(id: string, description: string, example: string) {
  return z.string().meta({ description, examples: [example], header: { id } });
}

/** The same for one that is not always there. */
function optionalHeader(id: string, description: string, example: string) {
  return z
    .string()
    .optional()
    .meta({ description, examples: [example], header: { id } });
}

export const requestIdHeader = header(
  'RequestId',
  'Names this request in every log; yours where you sent one.',
  'req_6f1c2a54-8a4e-4c39-9a58-0c3f5d1f8b11',
);

type MakeHeader = (id: string, description: string, example: string) => z.ZodType;

function rateLimit(make: MakeHeader) {
  return {
    'X-RateLimit-Limit': make(
      'RateLimitLimit',
      'Requests that may come at once with this credential; on a 429, what the limit that was ' +
        'met allows: requests, authorizations under way, or failed authentications of an address.',
      '200',
    ),
    'X-RateLimit-Remaining': make(
      'RateLimitRemaining',
      'Requests that may still come now; 0 on a 429.',
      '199',
    ),
    'X-RateLimit-Reset': make(
      'RateLimitReset',
      'Unix time, in seconds, when all may come again.',
      '1798758000',
    ),
  };
}

/** Each made once: the document names a header by its schema. */
const rateHeaders = {
  refused: rateLimit((id, ...rest) => header(`${id}Refused`, ...rest)),
  usual: rateLimit(optionalHeader),
} as const;

const challenge = optionalHeader(
  'WwwAuthenticate',
  'How to authenticate; at the token endpoint only for who came with HTTP Basic.',
  'ApiKey, Bearer',
);

export const retryAfterHeader = header('RetryAfter', 'Seconds to wait.', '1');

/** Headers of a success; `documented` ones are the row's own. */
export function successHeaders(row: AnyRoute) {
  const own = Object.entries(row.documented?.headers ?? {}).map(
    ([name, description]) => [name, z.string().optional().meta({ description })] as const,
  );
  const authenticated = row.plane !== 'public' && row.plane !== 'token';
  return z.object({
    'X-Request-ID': requestIdHeader,
    ...(authenticated && rateHeaders.usual),
    ...Object.fromEntries(own),
  });
}

/** The rate is told wherever a credential was recognised before something else went wrong. */
export function errorHeaders(status: number) {
  return z.object({
    'X-Request-ID': requestIdHeader,
    ...(status === 429 ? rateHeaders.refused : rateHeaders.usual),
    ...(status === 401 && { 'WWW-Authenticate': challenge }),
    ...(status === 429 && { 'Retry-After': retryAfterHeader }),
    ...((status === 503 || status === 409) && { 'Retry-After': retryAfterHeader.optional() }),
  });
}

/** Headers a caller may send, besides its credential. */
export function requestHeaders(row: AnyRoute) {
  const actsForPrincipal = row.plane === 'runtime' || row.plane === 'authorize';
  return z.object({
    ...(actsForPrincipal && { 'X-Principal-Id': principalId.optional() }),
    ...(row.idempotent && { 'Idempotency-Key': idempotencyKey.optional() }),
    ...(304 in row.responses && { 'If-None-Match': knownTag.optional() }),
  });
}

const principalId = z.string().meta({
  description: 'The Principal to act for; needed where the Client has several.',
  examples: ['prn_01k5a3v7q8e9f0g1h2j3k4m5n6'],
});
const knownTag = z.string().meta({
  description: 'The ETag of your copy; the answer is 304 without a body if it is still current.',
  examples: ['"9f86d081884c7d659a2feaa0c55ad015"'],
});
const idempotencyKey = z.string().meta({
  pattern: idempotencyKeyForm.source,
  description: 'The same key and body answer the first result again; kept for 24 hours.',
  examples: ['onboard-customer-42'],
});
