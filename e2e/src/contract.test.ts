/** Tests that the contract check, on which all other files rely, detects violations. */
import { createServer } from 'node:http';
import { listening } from '@countersign/runtime/testing/listening';
import t from 'tap';
import { api } from './api.js';

const thing = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' }, at: { type: 'string', format: 'date-time' } },
};
const json = (name: string) => ({
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
});
const document = {
  openapi: '3.1.0',
  paths: {
    '/things/{id}': {
      get: {
        responses: {
          200: {
            ...json('Thing'),
            headers: { 'X-Request-ID': { $ref: '#/components/headers/Id' } },
          },
          404: { $ref: '#/components/responses/NotFound' },
        },
      },
      delete: { responses: { 204: { description: 'Done.' } } },
    },
    '/things/none': { get: { responses: { 200: json('PlatformError') } } },
  },
  components: {
    schemas: {
      Thing: thing,
      PlatformError: {
        type: 'object',
        required: ['error'],
        properties: { error: { type: 'object' } },
      },
    },
    headers: { Id: { required: true } },
    responses: { NotFound: json('PlatformError') },
  },
};

interface Told {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** That of the operator's interface is only for whoever has the key. */
const operatorDocument = {
  ...document,
  paths: { '/internal/v1/things': { get: { responses: { 200: json('Thing') } } } },
};

let told: Told = {};
const server = createServer(({ url, headers: { 'x-admin-key': key } }, response) => {
  const documents: Record<string, Told> = {
    '/api/v1/openapi.json': { body: document },
    '/internal/v1/openapi.json': key === 'key' ? { body: operatorDocument } : { status: 403 },
  };
  const whole: Told = documents[url ?? ''] ?? told;
  const { status = 200, body, headers = {} } = whole;
  const type = body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(status, { ...type, ...headers });
  response.end(body === undefined ? '' : JSON.stringify(body));
});
const { port, close } = await listening(server);
t.teardown(close);
const base = `http://127.0.0.1:${port}`;
const caller = api(base);

const known = { 'x-request-id': 'r' };
const error = { error: {} };

t.test('what the document allows is taken', async (t) => {
  const rows: Array<[method: string, path: string, told: Told]> = [
    ['GET', '/things/1?a=b', { headers: known, body: { id: '1', at: '2026-01-02T03:04:05Z' } }],
    ['GET', '/things/1', { status: 404, body: error }],
    ['GET', '/things/none', { body: error }],
    ['DELETE', '/things/1', { status: 204 }],
    ['GET', '/nothing', { status: 404, body: error }],
    ['PUT', '/things/1', { status: 405, body: error }],
  ];
  for (const [method, path, answer] of rows) {
    told = answer;
    t.equal((await caller.call(method, path)).status, answer.status ?? 200, `${method} ${path}`);
  }
});

t.test('anything else is not', async (t) => {
  const rows: Array<[told: Told, complaint: RegExp]> = [
    [{ status: 418, body: error }, /status 418 is not documented/],
    [{ body: { id: '1' } }, /header X-Request-ID is missing/],
    [{ headers: known, body: {} }, /required property 'id'/],
    [{ headers: known, body: { id: 1 } }, /body\/id must be string/],
    [{ headers: known, body: { id: '1', more: 1 } }, /additional properties/],
    [{ headers: known, body: { id: '1', at: 'today' } }, /must match format "date-time"/],
    [{ headers: { ...known, 'content-type': 'text/plain' }, body: '' }, /type text\/plain is not/],
    [{ headers: known }, /media type none is not/],
    [{ status: 404, body: { id: '1' } }, /required property 'error'/],
  ];
  for (const [answer, complaint] of rows) {
    told = answer;
    await t.rejects(caller.get('/things/1'), { message: complaint });
  }
  told = { body: error };
  await t.rejects(caller.call('PUT', '/things/1'), { message: /status 200/ }, 'no such method');
  await t.rejects(caller.get('/nothing'), { message: /status 200/ }, 'no such path');
  told = { status: 204, headers: { 'content-length': '0' } };
  await t.rejects(caller.get('/things/1'), { message: /status 204/ });
});

t.test('calls of the operator are held to the document of their own interface', async (t) => {
  const path = '/internal/v1/things';
  const operator = api(base, { 'x-admin-key': 'key' });
  told = { body: { id: '1' } };
  t.equal((await operator.get(path)).status, 200);
  await t.rejects(api(base).get(path), { message: /the document was refused/ }, 'without the key');
  told = { body: { id: 1 } };
  await t.rejects(operator.get(path), { message: /body\/id must be string/ });
  told = { status: 403, body: error };
  t.equal((await api(base).get(path)).status, 403);
  await t.rejects(operator.get(path), { message: /status 403 is not documented/ });
});
