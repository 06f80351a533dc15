import { docsPage } from '../openapi/docs-page.js';
import { openApiDocument } from '../openapi/document.js';
import type { Reply } from '../request.js';
import { type AnyRoute, route } from '../route.js';
import { openapiDocument } from '../schemas/public.js';

const open = {
  method: 'GET',
  plane: 'public',
  scope: null,
  rateGroup: 'none',
  tag: 'Public',
} as const;

const cacheable = 'public, max-age=300';

/** The API's own description, made from the table it is part of when it is first asked for. */
export function documentationRoutes(table: () => readonly AnyRoute[]): AnyRoute[] {
  const document = once((baseUrl) => openApiDocument(table(), baseUrl));
  const documentText = once((baseUrl) => JSON.stringify(document(baseUrl)));
  const page = once((baseUrl) => docsPage(document(baseUrl)));
  return [
    route({
      ...open,
      path: '/api/v1/openapi.json',
      operation: 'getOpenApi',
      summary: 'This API as an OpenAPI 3.1 document',
      responses: { 200: openapiDocument },
      handler: async ({ config }): Promise<Reply> => ({
        status: 200,
        text: documentText(config.baseUrl),
        headers: { 'Cache-Control': cacheable },
      }),
    }),
    route({
      ...open,
      path: '/api/v1/docs',
      operation: 'getDocs',
      summary: 'This API as a readable page',
      responses: { 200: null },
      documented: { contentType: 'text/html' },
      handler: async ({ config }): Promise<Reply> => {
        const { html, contentSecurityPolicy } = page(config.baseUrl);
        return {
          status: 200,
          text: html,
          contentType: 'text/html; charset=utf-8',
          headers: {
            'Content-Security-Policy': contentSecurityPolicy,
            'Cache-Control': cacheable,
          },
        };
      },
    }),
  ];
}

/** Remembers the last result; a process has one base URL. */
function once<T>(make: (baseUrl: string) => T): (baseUrl: string) => T {
  let made: { baseUrl: string; value: T } | null = null;
  return (baseUrl) => {
    if (made?.baseUrl !== baseUrl) made = { baseUrl, value: make(baseUrl) };
    return made.value;
  };
}
