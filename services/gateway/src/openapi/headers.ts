import { z } from 'zod';
import type { AnyRoute } from '../route.js';

const requestId = z.string().meta({
  description: 'Names this request in every log; yours where you sent one.',
  examples: ['req_6f1c2a54-8a4e-4c39-9a58-0c3f5d1f8b11'],
});
const whole = (description: string, example: string) =>
  z.string().meta({ description, examples: [example] });

const rateLimit = {
  'X-RateLimit-Limit': whole('Requests that may come at once.', '200'),
  'X-RateLimit-Remaining': whole('Requests that may still come now.', '199'),
  'X-RateLimit-Reset': whole('Seconds until all may come again.', '1'),
};

/** Headers of a success; `documented` ones are the row's own. */
export function successHeaders(row: AnyRoute) {
  const own = Object.entries(row.documented?.headers ?? {}).map(
    ([name, description]) => [name, z.string().optional().meta({ description })] as const,
  );
  return z.object({
    'X-Request-ID': requestId,
    ...(isAuthenticated(row) && optional(rateLimit)),
    ...Object.fromEntries(own),
  });
}

export function errorHeaders(row: AnyRoute, status: number) {
  return z.object({
    'X-Request-ID': requestId,
    // A request whose credential was not recognised has used up nobody's rate.
    ...(isAuthenticated(row) && status !== 401 && optional(rateLimit)),
    ...(status === 429 && { 'Retry-After': whole('Seconds to wait.', '1') }),
  });
}

/** Headers a caller may send, besides its credential. */
export function requestHeaders(row: AnyRoute) {
  const actsForPrincipal = row.plane === 'runtime' || row.plane === 'authorize';
  return z.object({
    ...(actsForPrincipal && { 'X-Principal-Id': principalId.optional() }),
    ...(row.idempotent && { 'Idempotency-Key': idempotencyKey.optional() }),
  });
}

const principalId = z.string().meta({
  description: 'The Principal to act for; needed where the Client has several.',
  examples: ['prn_01k5a3v7q8e9f0g1h2j3k4m5n6'],
});
const idempotencyKey = z.string().meta({
  description: 'The same key and body answer the first result again; kept for 24 hours.',
  examples: ['onboard-customer-42'],
});

function isAuthenticated(row: AnyRoute): boolean {
  return row.plane !== 'public' && row.plane !== 'token';
}

function optional(shape: Record<string, z.ZodType>) {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, schema.optional()]),
  );
}
