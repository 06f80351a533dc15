import { z } from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';

/** An endpoint as a document tells of it, whichever table its row is in. */
export interface Operation {
  method: string;
  /** Koa path, e.g. `/api/v1/agents/:agent_id`. */
  path: string;
  operationId: string;
  summary: string;
  description: string | undefined;
  tag: string;
  /** What opens it, by the names of the security schemes. */
  security: Array<Record<string, string[]>>;
  params: z.ZodType | undefined;
  query: z.ZodType | undefined;
  requestHeaders: z.ZodObject;
  body: Body | null;
  /** Every success, by status, with the schema of its body (null: no body). */
  responses: Record<number, z.ZodType | null>;
  /** Media type of a success that is not JSON. */
  contentType: string | undefined;
  responseHeaders: z.ZodObject;
  errors: ZodOpenApiResponsesObject;
}

interface Body {
  schema: z.ZodType;
  contentTypes: readonly string[];
  required: boolean;
}

const successes: Record<number, string> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done; the body is empty.',
  304: 'What you have is still true; the body is empty.',
  503: 'Not usable at this moment.',
};

export function pathsOf(operations: readonly Operation[]): ZodOpenApiPathsObject {
  const items: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:([a-z_]+)/g, '{$1}');
    const item = items[path] ?? {};
    items[path] = { ...item, [operation.method.toLowerCase()]: operationObject(operation) };
  }
  return items as ZodOpenApiPathsObject;
}

/** Nothing in it is said twice. */
function operationObject(operation: Operation): ZodOpenApiOperationObject {
  const { operationId, summary, description, tag, security, params, query } = operation;
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    security,
    requestParams: {
      ...(params && { path: params as z.ZodObject }),
      ...(query && { query: query as z.ZodObject }),
      header: operation.requestHeaders,
    },
    ...requestBody(operation),
    responses: { ...successResponses(operation), ...operation.errors },
  };
}

function requestBody({ body }: Operation): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (body === null) return {};
  const { schema, contentTypes, required } = body;
  const content = Object.fromEntries(contentTypes.map((type) => [type, { schema }]));
  return { requestBody: { required, content } };
}

function successResponses(operation: Operation): ZodOpenApiResponsesObject {
  const responses = Object.entries(operation.responses).map(([status, schema]) => [
    status,
    {
      description: successes[Number(status)] ?? 'Success.',
      headers: operation.responseHeaders,
      ...content(operation, schema),
    },
  ]);
  return Object.fromEntries(responses);
}

function content({ contentType: type }: Operation, schema: z.ZodType | null) {
  if (schema) return { content: { [type ?? 'application/json']: { schema } } };
  return type ? { content: { [type]: { schema: z.string() } } } : {};
}
