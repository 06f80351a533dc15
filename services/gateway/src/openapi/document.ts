import type { oas31 } from 'zod-openapi';
import type { AnyRoute } from '../route.js';
import { compose, type OpenApiDocument } from './compose.js';
import { errorSamples } from './error-example.js';
import { eventsTag, guide, tags } from './guide.js';
import { routeOperation } from './route-operation.js';
import { webhookOperations } from './webhooks.js';

/** The public API by its table, as an OpenAPI document. */
export function openApiDocument(routes: readonly AnyRoute[], baseUrl: string): OpenApiDocument {
  return compose({
    title: 'Countersign',
    guide,
    serverUrl: baseUrl,
    baseUrl,
    errorSamples,
    tags: usedTags(routes),
    securitySchemes: securitySchemes(routes, baseUrl),
    operations: routes.map(routeOperation),
    webhooks: webhookOperations(),
  });
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
