import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** The parts of an OpenAPI document that responses are validated against. */
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Response>; headers: Record<string, Header> };
}

interface Operation {
  responses: Record<string, Response | Reference>;
}

interface Response {
  headers?: Record<string, Header | Reference>;
  content?: Record<string, Media>;
}

interface Header {
  required?: boolean;
}

interface Media {
  schema: Record<string, unknown>;
}

interface Reference {
  $ref: string;
}

interface Given {
  method: string;
  /** As the server received it, without the query. */
  path: string;
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

/** Why a response violates the served document, or null. */
export type Contract = (answer: Given) => string | null;

const fetchTimeoutMs = 15_000;
const contracts = new Map<string, Promise<Contract>>();

/** The document of the public API that an installation serves, fetched once per address. */
export function contractOf(baseUrl: string): Promise<Contract> {
  return fetchedOnce(baseUrl, async () => {
    const answer = await fetchDocument(`${baseUrl}/api/v1/openapi.json`);
    if (!answer.ok) throw new Error(`no OpenAPI document: ${answer.status}`);
    return contractIn((await answer.json()) as Document);
  });
}

/** The same of the operator's interface. Whoever may not read it may not do anything else. */
export function operatorContractOf(
  baseUrl: string,
  credential: Record<string, string>,
): Promise<Contract> {
  return fetchedOnce(`${baseUrl} ${JSON.stringify(credential)}`, async () => {
    const answer = await fetchDocument(`${baseUrl}/internal/v1/openapi.json`, credential);
    if (answer.ok) return contractIn((await answer.json()) as Document);
    if (answer.status !== 403 && answer.status !== 404)
      throw new Error(`no OpenAPI document: ${answer.status}`);
    return ({ status }) => (status === answer.status ? null : 'the document was refused');
  });
}

function fetchedOnce(key: string, fetchContract: () => Promise<Contract>): Promise<Contract> {
  const known = contracts.get(key);
  if (known !== undefined) return known;
  const fetched = fetchContract();
  contracts.set(key, fetched);
  // If the installation was unavailable, for example just killed, the next call fetches again.
  fetched.catch(() => contracts.delete(key));
  return fetched;
}

function fetchDocument(url: string, headers: Record<string, string> = {}) {
  return fetch(url, { headers, signal: AbortSignal.timeout(fetchTimeoutMs) });
}

function contractIn(document: Document): Contract {
  const find = finder(document);
  const isValid = validator(document);
  return (answer) => {
    const { status, headers, text } = answer;
    const response = resolved(find(answer).responses[status], document.components.responses);
    if (!response) return `status ${status} is not documented`;
    const missing = Object.entries(response.headers ?? {}).find(
      ([name, header]) =>
        resolved(header, document.components.headers)?.required && !headers.has(name),
    );
    if (missing) return `the header ${missing[0]} is missing`;
    if (!response.content) return text === '' ? null : 'no body is documented';
    const type = headers.get('content-type')?.split(';')[0] ?? 'none';
    const media = response.content[type];
    if (!media) return `the media type ${type} is not documented`;
    return type === 'application/json' ? isValid(media, answer.body) : null;
  };
}

function resolved<T>(value: T | Reference | undefined, named: Record<string, T>): T | undefined {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T;
  return named[value.$ref.split('/').at(-1) ?? ''];
}

const anError = {
  content: { 'application/json': { schema: { $ref: '#/components/schemas/PlatformError' } } },
};
/** Paths that are not in the document must be refused, with the platform envelope. */
const nowhere: Operation = { responses: { 404: anError, 405: anError } };

function finder({ paths }: Document): (asked: Given) => Operation {
  const templates = Object.entries(paths).map(([path, operations]) => ({
    expression: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    // A literal path takes precedence over one with a parameter.
    parameters: path.split('{').length,
    operations,
  }));
  templates.sort((a, b) => a.parameters - b.parameters);
  return ({ method, path }) => {
    const found = templates.find(({ expression }) => expression.test(path));
    return found?.operations[method.toLowerCase()] ?? nowhere;
  };
}

/**
 * Answers may get further fields in a later release, so the document leaves room for them. Those of
 * this release are all documented: here an object has the fields it names and no others.
 */
function closed<T>(schemas: T): T {
  return JSON.parse(JSON.stringify(schemas), (_key, node) => {
    const isClosed = node?.properties !== undefined && node.additionalProperties === undefined;
    return isClosed && node.type === 'object' ? { ...node, additionalProperties: false } : node;
  });
}

function validator({ components }: Document): (media: Media, body: unknown) => string | null {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const named = closed(components);
  const compiled = new Map<Media, ValidateFunction>();
  return (media, body) => {
    const validate = compiled.get(media) ?? ajv.compile({ ...media.schema, components: named });
    compiled.set(media, validate);
    return validate(body) ? null : ajv.errorsText(validate.errors, { dataVar: 'body' });
  };
}
