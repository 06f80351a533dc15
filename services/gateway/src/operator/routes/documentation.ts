import { Publication } from '../../openapi/publication.js';
import { openapiDocument } from '../../schemas/public.js';
import { operatorDocument } from '../openapi/document.js';
import { errorTables } from '../openapi/errors.js';
import { base, type OperatorRoute, operatorRoute } from '../route.js';

/** Both ask for the key like any other call: who has none learns nothing on this listener. */
export function documentationRoutes(table: () => readonly OperatorRoute[]): OperatorRoute[] {
  const published = new Publication((baseUrl) => operatorDocument(table(), baseUrl), errorTables);
  return [
    operatorRoute({
      method: 'GET',
      path: `${base}/openapi.json`,
      action: 'openapi.read',
      tag: 'Documentation',
      summary: 'This interface as an OpenAPI 3.1 document',
      description: 'Generated from the table that the server itself runs by.',
      responses: { 200: openapiDocument },
      handler: async ({ config }) => published.document(config.baseUrl),
    }),
    operatorRoute({
      method: 'GET',
      path: `${base}/docs`,
      action: 'docs.read',
      tag: 'Documentation',
      summary: 'This interface as a readable page',
      description: 'Self-contained: save it and open it, since a browser does not send the key.',
      responses: { 200: null },
      contentType: 'text/html',
      handler: async ({ config }) => published.page(config.baseUrl),
    }),
  ];
}
