import { errorTables } from '../errors/error-catalog.js';
import { openApiDocument } from '../openapi/document.js';
import { Publication } from '../openapi/publication.js';
import { type AnyRoute, route } from '../route.js';
import { openapiDocument } from '../schemas/public.js';
import { open } from './public.js';

const headers = { 'Cache-Control': 'public, max-age=300' };

/** The API's own description, made from the table it is part of when it is first asked for. */
export function documentationRoutes(table: () => readonly AnyRoute[]): AnyRoute[] {
  const published = new Publication((baseUrl) => openApiDocument(table(), baseUrl), errorTables);
  return [
    route({
      ...open,
      path: '/api/v1/openapi.json',
      operation: 'getOpenApi',
      summary: 'This API as an OpenAPI 3.1 document',
      responses: { 200: openapiDocument },
      handler: async ({ config }) => published.document(config.baseUrl, headers),
    }),
    route({
      ...open,
      path: '/api/v1/docs',
      operation: 'getDocs',
      summary: 'This API as a readable page',
      responses: { 200: null },
      documented: { contentType: 'text/html' },
      handler: async ({ config }) => published.page(config.baseUrl, headers),
    }),
  ];
}
