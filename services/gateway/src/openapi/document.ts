import { createDocument, type oas31, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { AnyRoute } from '../route.js';
import { version } from '../version.js';
import { errorExample } from './error-example.js';
import { exampleOf } from './example.js';
import { eventsTag, guide, tags } from './guide.js';
import { operation } from './operation.js';
import { webhookOperations } from './webhooks.js';

export type OpenApiDocument = oas31.OpenAPIObject;

/** The table as an OpenAPI 3.1 document, with an example for every body. */
export function openApiDocument(routes: readonly AnyRoute[], baseUrl: string): OpenApiDocument {
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Countersign',
        version,
        description: guide,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl }],
      tags: usedTags(routes),
      paths: paths(routes),
      webhooks: webhookOperations(),
      components: { securitySchemes: securitySchemes(routes, baseUrl) },
    },
    {
      override: ({ zodSchema, jsonSchema }) => {
        dropSafeIntegerBounds(jsonSchema);
        if (isAnswered(zodSchema)) delete jsonSchema.additionalProperties;
      },
    },
  );
  openReferences(document);
  addExamples(document, baseUrl);
  return document;
}

/**
 * An object that is not strict is of an answer. Its document leaves room for fields that a later
 * release adds: a program that was generated today would otherwise refuse them.
 */
function isAnswered({ _zod: { def } }: { _zod: { def: object } }): boolean {
  return 'shape' in def && !('catchall' in def && def.catchall);
}

/** Beside a reference the generator repeats what the schema that it leads to said before. */
function openReferences(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const schema = node as Record<string, unknown>;
  if (typeof schema.$ref === 'string') delete schema.additionalProperties;
  for (const child of Object.values(schema)) openReferences(child);
}

/** What any integer obeys anyway says nothing to a reader. */
function dropSafeIntegerBounds(schema: { minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function paths(routes: readonly AnyRoute[]): ZodOpenApiPathsObject {
  const items: Record<string, Record<string, unknown>> = {};
  for (const row of routes) {
    const path = row.path.replaceAll(/:([a-z_]+)/g, '{$1}');
    const item = items[path] ?? {};
    items[path] = { ...item, [row.method.toLowerCase()]: operation(row) };
  }
  return items as ZodOpenApiPathsObject;
}

function usedTags(routes: readonly AnyRoute[]): oas31.TagObject[] {
  const used = new Set([...routes.map((row) => row.tag), eventsTag]);
  return tags.filter(({ name }) => used.has(name));
}

function securitySchemes(
  routes: readonly AnyRoute[],
  baseUrl: string,
): Record<string, oas31.SecuritySchemeObject> {
  const tokenUrl = `${baseUrl}/api/v1/oauth/token`;
  return {
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: '`svc_live_…` or `svc_test_…`: the prefix selects the environment.',
    },
    oauth2: {
      type: 'oauth2',
      description: 'A Bearer token from the token exchange.',
      flows: { clientCredentials: { tokenUrl, scopes: scopesOf(routes) } },
    },
    clientBasic: {
      type: 'http',
      scheme: 'basic',
      description: 'client_id and client_secret, each form-encoded (RFC 6749, section 2.3.1).',
    },
  };
}

/** Those that a token is good for: onboarding takes no token. */
function scopesOf(routes: readonly AnyRoute[]): Record<string, string> {
  const open = routes.filter(({ plane }) => plane === 'runtime' || plane === 'authorize');
  const names = new Set(open.flatMap(({ scope }) => scope ?? []));
  return Object.fromEntries([...names].map((name) => [name, pathsUnder(open, name)]));
}

function pathsUnder(routes: readonly AnyRoute[], scope: string): string {
  const own = routes.filter((row) => row.scope === scope);
  const prefixes = new Set(own.map(({ path }) => path.split('/').slice(0, 4).join('/')));
  return `Paths under ${[...prefixes].join(', ')}.`;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

function addExamples(document: OpenApiDocument, baseUrl: string): void {
  const components = document.components?.schemas ?? {};
  for (const { requestBody, responses } of operationsOf(document)) {
    for (const media of mediaTypes(requestBody)) {
      media.example = exampleOf(media.schema ?? {}, { components, optional: false });
    }
    for (const media of Object.values(responses ?? {}).flatMap(mediaTypes)) {
      media.example = exampleOf(media.schema ?? {}, { components, optional: true });
    }
  }
  for (const [name, response] of Object.entries(document.components?.responses ?? {})) {
    const status = Number(name.slice(-3));
    for (const media of mediaTypes(response)) {
      media.example =
        errorExample(media.schema, { status, baseUrl }) ??
        exampleOf(media.schema ?? {}, { components, optional: true });
    }
  }
}

function operationsOf(document: OpenApiDocument): oas31.OperationObject[] {
  return Object.values(document.paths ?? {}).flatMap((item) =>
    methods.flatMap((method) => item[method] ?? []),
  );
}

function mediaTypes(holder: unknown): oas31.MediaTypeObject[] {
  const { content } = (holder ?? {}) as { content?: oas31.ContentObject };
  return Object.values(content ?? {});
}
