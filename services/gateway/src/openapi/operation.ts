import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { AnyRoute } from '../route.js';
import { descriptions } from './descriptions.js';
import { errorResponses } from './error-responses.js';
import { requestHeaders, successHeaders } from './headers.js';

const successes: Record<number, string> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done; the body is empty.',
  304: 'What you have is still true; the body is empty.',
  503: 'Not usable at this moment.',
};

/** What opens a row; a Bearer token must have its scope, which is published with it. */
function security({ plane, scope }: AnyRoute): Array<Record<string, string[]>> {
  if (plane === 'public') return [];
  if (plane === 'token') return [{}, { clientBasic: [] }];
  if (plane === 'onboarding') return [{ apiKey: [] }];
  return [{ apiKey: [] }, { oauth2: scope === null ? [] : [scope] }];
}

/** One row of the table as an operation: nothing in it is said twice. */
export function operation(row: AnyRoute): ZodOpenApiOperationObject {
  const description = row.documented?.description ?? descriptions[row.operation];
  return {
    operationId: row.operation,
    summary: row.summary,
    ...(description !== undefined && { description }),
    tags: [row.tag],
    security: security(row),
    requestParams: {
      ...(row.params && { path: row.params as z.ZodObject }),
      ...(row.query && { query: row.query as z.ZodObject }),
      header: requestHeaders(row),
    },
    ...requestBody(row),
    responses: { ...successResponses(row), ...errorResponses(row) },
  };
}

function requestBody(row: AnyRoute): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  const schema = row.documented?.body?.schema ?? row.body;
  if (!schema) return {};
  const types = row.documented?.body?.contentTypes ?? ['application/json'];
  return {
    requestBody: {
      required: row.bodyRequired !== false,
      content: Object.fromEntries(types.map((type) => [type, { schema }])),
    },
  };
}

function successResponses(row: AnyRoute): ZodOpenApiResponsesObject {
  const responses = Object.entries(row.responses).map(([status, schema]) => [
    status,
    {
      description: successes[Number(status)] ?? 'Success.',
      headers: successHeaders(row),
      ...content(row, schema),
    },
  ]);
  return Object.fromEntries(responses);
}

function content(row: AnyRoute, schema: z.ZodType | null) {
  const type = row.documented?.contentType ?? 'application/json';
  if (schema) return { content: { [type]: { schema } } };
  return row.documented?.contentType ? { content: { [type]: { schema: z.string() } } } : {};
}
