/** Malformed requests for every operation: never a fault, always a documented envelope. */
import { startStack } from '@countersign/tools/stack';
import fc from 'fast-check';
import t from 'tap';
import { type Answer, api } from './api.js';
import { patience } from './patience.js';
import { expectStatus, newSpender, newTenant } from './tenant.js';

/** FC_RUNS=5000 is required for a release; a few hundred find regressions. */
const runs = Number(process.env.FC_RUNS ?? 300);
const inFlight = 4;

const stack = await startStack({ env: { ...patience, RATE_LIMIT_MULTIPLIER: '0' }, seed: false });
t.teardown(() => stack.stop());
const tenant = await newTenant(stack);
const { acting, agentId, principalId, mandateId } = await newSpender(stack, tenant);
const clients = [acting, tenant.client, api(stack.baseUrl)];

type Fields = Record<string, unknown>;

interface Operation {
  method: string;
  path: string;
  example: unknown;
}

const document = expectStatus(await api(stack.baseUrl).get('/api/v1/openapi.json'), 200);
const operations: Operation[] = Object.entries<Fields>(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, value]) => {
    const { requestBody } = value as { requestBody?: Fields };
    return { method: method.toUpperCase(), path, example: exampleOf(requestBody) };
  }),
);

function exampleOf(body: Fields | undefined): unknown {
  const content = body?.content as Record<string, { example?: unknown }> | undefined;
  return content?.['application/json']?.example;
}

const nasty = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    '0',
    '-1',
    '1e400',
    'NaN',
    '1'.repeat(400),
    'x'.repeat(6000),
    "'; DROP TABLE agents; --",
    '../../etc/passwd',
    '\u202e\ufeff',
    '\u0000',
    '\ud800',
    -0,
    1e308,
    2 ** 53,
    [],
    {},
    [null],
    { __proto__: null, constructor: 1 },
    '2026-13-45T99:99:99Z',
    '+999999-01-01T00:00:00Z',
    '0000-06-01T00:00:00Z',
    '0001-01-01T00:00:00+02:00',
    '9999-12-31T23:59:59-02:00',
    'did:key:z',
    `agt_${'0'.repeat(64)}`,
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A valid body with one to three invalid fields, at any depth. */
const mutation = fc.record({
  pick: fc.array(fc.nat(40), { minLength: 1, maxLength: 3 }),
  values: fc.array(nasty, { minLength: 3, maxLength: 3 }),
  drop: fc.boolean(),
});
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function spoiled(example: unknown, { pick, values, drop }: Mutation): unknown {
  const copy = structuredClone(example ?? {});
  for (const [i, chosen] of pick.entries()) {
    const places = placesIn(copy);
    const place = places[chosen % Math.max(places.length, 1)];
    if (!place) return values[0];
    if (drop && i === 0) delete place.holder[place.key];
    else place.holder[place.key] = structuredClone(values[i]);
  }
  return copy;
}

interface Place {
  holder: Fields;
  key: string;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Fields;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}

const segment = fc.oneof(
  fc.constantFrom(agentId, principalId, mandateId, 'x', '%00', '%ff', '..%2f', '%F0%9F%98%80'),
  fc.string({ minLength: 1, maxLength: 80 }).map((text) => encodeURIComponent(text)),
);
const query = fc.oneof(
  fc.constant(''),
  fc
    .array(fc.tuple(fc.constantFrom('limit', 'cursor', 'page', 'status', 'x'), fc.string()), {
      maxLength: 3,
    })
    .map((pairs) => `?${new URLSearchParams(pairs)}`),
  fc.constantFrom('?limit=%00', '?%ff=1', '?limit=1&limit=2', '?cursor[]=1', '?__proto__=1'),
);
const body = fc.oneof(
  { weight: 6, arbitrary: mutation.map((change) => ({ change })) },
  {
    weight: 2,
    arbitrary: fc
      .oneof(fc.json(), fc.string(), fc.constantFrom('{"a":', '\ufeff{}', '[[[[', '{"a":1,"a":1}'))
      .map((raw) => ({ raw })),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }).map((bytes) => ({ bytes })) },
);
const header = fc.constantFrom<Record<string, string>>(
  {},
  {},
  {},
  { 'x-principal-id': 'prn_x' },
  { 'x-principal-id': '' },
  { 'idempotency-key': 'x'.repeat(300) },
  { 'idempotency-key': ' ' },
  { 'x-request-id': 'y'.repeat(200) },
  { accept: 'text/html' },
  { 'content-encoding': 'gzip' },
  { authorization: 'Bearer a.b.c' },
  { 'x-forwarded-for': '1.2.3.4, nonsense' },
);
const type = fc.constantFrom('application/json', 'application/json', 'text/plain', 'nonsense');

const request = fc.record({
  operation: fc.constantFrom(...operations),
  segments: fc.array(segment, { minLength: 2, maxLength: 2 }),
  query,
  body,
  header,
  type,
  client: fc.constantFrom(...clients.keys()),
});
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;

async function send(given: Request): Promise<Answer> {
  const { operation, segments } = given;
  let next = 0;
  const path = operation.path.replaceAll(/\{\w+\}/g, () => segments[next++] ?? 'x');
  const raw =
    'change' in given.body
      ? JSON.stringify(spoiled(operation.example, given.body.change))
      : 'raw' in given.body
        ? given.body.raw
        : given.body.bytes;
  const caller = clients[given.client] ?? acting;
  return caller.call(operation.method, `${path}${given.query}`, {
    headers: given.header,
    contentType: given.type,
    ...(operation.method !== 'GET' && { rawBody: raw }),
  });
}

t.test(`${runs} malformed requests over ${operations.length} operations`, async (t) => {
  const statuses = new Map<number, number>();
  const batch = fc.array(request, { minLength: inFlight, maxLength: inFlight });
  await fc.assert(
    fc.asyncProperty(batch, async (requests) => {
      const answers = await Promise.all(requests.map(send));
      for (const { status, text } of answers) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        // Every call verifies that the response is documented, including its envelope.
        if (status >= 500) throw new Error(`${status} ${text}`);
      }
    }),
    { numRuns: Math.ceil(runs / inFlight), endOnFailure: true },
  );
  t.comment(JSON.stringify([...statuses].sort()));
  t.ok(statuses.size > 3, 'many ways to be wrong were tried');
});
