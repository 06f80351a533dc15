import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { compose, type OpenApiDocument } from '../../openapi/compose.js';
import { requestIdHeader } from '../../openapi/headers.js';
import type { Operation } from '../../openapi/operation.js';
import type { OperatorRoute } from '../route.js';
import { errorResponses, errorSamples } from './errors.js';
import { guide, tags } from './guide.js';

/** The operator's interface by its table, as an OpenAPI document. */
export function operatorDocument(
  routes: readonly OperatorRoute[],
  baseUrl: string,
): OpenApiDocument {
  return compose({
    title: 'Countersign operator',
    guide,
    // The listener does not know where it is reached: through a tunnel, a Service, a container.
    serverUrl: '/',
    baseUrl,
    errorSamples,
    tags: [...tags],
    securitySchemes,
    operations: routes.map(operationOf),
  });
}

const securitySchemes: Record<string, oas31.SecuritySchemeObject> = {
  adminKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Admin-Key',
    description: 'The `ADMIN_KEY` of the gateway.',
  },
  providerSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Signature',
    description:
      '`sha256=` and the hex HMAC-SHA256 of the raw body, with `VERIFICATION_CALLBACK_SECRET` as ' +
      'its key.',
  },
};

function operationOf(row: OperatorRoute): Operation {
  const { method, path, action, summary, description, tag, params, query, body } = row;
  return {
    method,
    path,
    operationId: action,
    summary,
    description,
    tag,
    security: [row.guard === 'admin_key' ? { adminKey: [] } : { providerSignature: [] }],
    params,
    query,
    requestHeaders: noHeaders,
    body: body
      ? { schema: body, contentTypes: ['application/json'], required: row.bodyRequired !== false }
      : null,
    responses: row.responses,
    contentType: row.contentType,
    responseHeaders,
    errors: errorResponses(row),
  };
}

const noHeaders = z.object({});
const responseHeaders = z.object({ 'X-Request-ID': requestIdHeader });
