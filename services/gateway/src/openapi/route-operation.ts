import type { AnyRoute } from '../route.js';
import { descriptions } from './descriptions.js';
import { errorResponses } from './error-responses.js';
import { requestHeaders, successHeaders } from './headers.js';
import type { Operation } from './operation.js';

/** One row of the public API as an operation. */
export function routeOperation(row: AnyRoute): Operation {
  const { method, path, operation, summary, tag, params, query, responses, documented } = row;
  return {
    method,
    path,
    operationId: operation,
    summary,
    description: documented?.description ?? descriptions[operation],
    tag,
    security: security(row),
    params,
    query,
    requestHeaders: requestHeaders(row),
    body: body(row),
    responses,
    contentType: documented?.contentType,
    responseHeaders: successHeaders(row),
    errors: errorResponses(row),
  };
}

/** What opens a row; a Bearer token must have its scope, which is published with it. */
function security({ plane, scope }: AnyRoute): Operation['security'] {
  if (plane === 'public') return [];
  if (plane === 'token') return [{}, { clientBasic: [] }];
  if (plane === 'onboarding') return [{ apiKey: [] }];
  return [{ apiKey: [] }, { oauth2: scope === null ? [] : [scope] }];
}

function body({ body: own, bodyRequired, documented }: AnyRoute): Operation['body'] {
  const schema = documented?.body?.schema ?? own;
  if (!schema) return null;
  const contentTypes = documented?.body?.contentTypes ?? ['application/json'];
  return { schema, contentTypes, required: bodyRequired !== false };
}
