import { fileURLToPath } from 'node:url';
import type { AnyRoute } from '../route.js';
import { openApiDocument } from './document.js';

/** What the types of the client are generated from; from the folder this is compiled to. */
export const clientContractFile = fileURLToPath(
  new URL('../../../../packages/sdk/openapi.json', import.meta.url),
);

const firstError = 400;

interface Operation {
  responses?: Record<string, { headers?: unknown }>;
}

/**
 * The API as far as a client's types depend on it: without examples and headers, without errors,
 * which a client tells apart by their envelope, and with amounts as text alone, for a number would
 * have been a binary fraction before it was sent. Descriptions stay: an editor shows them.
 */
export function clientContract(routes: readonly AnyRoute[]): string {
  const document = openApiDocument(routes, 'https://api.example.com');
  const { openapi, info, paths, webhooks, components } = document;
  const contract = {
    openapi,
    info: { title: info.title, version: info.version, license: info.license },
    paths: mapped(paths ?? {}, (item) => mapped(item as Record<string, Operation>, withoutErrors)),
    webhooks,
    components: { schemas: components?.schemas },
  };
  return `${JSON.stringify(contract, forClients, 1)}\n`;
}

function withoutErrors(operation: Operation): Operation {
  const successes = Object.entries(operation.responses ?? {})
    .filter(([status]) => Number(status) < firstError)
    .map(([status, { headers: _, ...response }]) => [status, response]);
  return { ...operation, responses: Object.fromEntries(successes) };
}

function mapped<T, U>(record: Record<string, T>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

const forReaders: ReadonlySet<string> = new Set(['example', 'examples']);

function forClients(key: string, value: unknown): unknown {
  if (forReaders.has(key)) return undefined;
  return key === 'anyOf' && Array.isArray(value) ? withoutNumericAmount(value) : value;
}

interface Form {
  type?: string;
  pattern?: string;
}

/** An amount may be sent in two forms: text of decimals, or a JSON number. */
function withoutNumericAmount(forms: Form[]): Form[] {
  const isText = forms.some(({ type, pattern }) => type === 'string' && pattern !== undefined);
  return isText ? forms.filter(({ type }) => type !== 'number') : forms;
}
