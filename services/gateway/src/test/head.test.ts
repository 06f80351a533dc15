import { connect } from 'node:net';
import { t as file, test } from 'tap';
import { routes } from '../routes.js';
import { World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const gateway = await world.replica();
const agents = '/api/v1/agents';

/** Headers of one request or of its connection, which `fetch` asks to close after a HEAD. */
const ofOneRequest = new Set([
  'connection',
  'date',
  'keep-alive',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
]);

function lasting(headers: Headers): Array<[name: string, value: string]> {
  return [...headers].filter(([name]) => !ofOneRequest.has(name));
}

test('HEAD answers the status and the headers of GET, and no body', async (t) => {
  const all = await world.replica({ CONSOLE: 'on' }, { routes });
  const nothing = '/api/v1/nothing';
  for (const path of [
    '/api/v1/health/live',
    '/api/v1/health/ready',
    '/api/v1/.well-known/jwks.json',
    '/.well-known/jwks.json',
    '/api/v1/public-keys',
    '/api/v1/webhooks/events',
    '/api/v1/openapi.json',
    '/api/v1/docs',
    '/console/',
    '/console',
    '/api/v1/agents/agt_1?x=1',
    nothing,
  ]) {
    const url = `${all.url}${path}`;
    const whole = await fetch(url, { redirect: 'manual' });
    const length = Buffer.byteLength(await whole.text());
    const head = await fetch(url, { method: 'HEAD', redirect: 'manual' });
    t.equal(head.status, whole.status, path);
    const told = path.endsWith('/ready') || path === nothing;
    // The answer has the request id in it, or a state that may change meanwhile.
    if (!told) t.same(lasting(head.headers), lasting(whole.headers), path);
    t.ok(Number(head.headers.get('content-length')) > 0 || length === 0, path);
  }
  const cached = await fetch(`${all.url}/console/`);
  const headers = { 'If-None-Match': cached.headers.get('etag') ?? '' };
  t.equal((await fetch(`${all.url}/console/`, { method: 'HEAD', headers })).status, 304);
});

test('no body is sent, and one that is received is ignored, as with GET', async (t) => {
  for (const method of ['HEAD', 'GET']) {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    const head = [
      `${method} /api/v1/public HTTP/1.1`,
      'Host: x',
      'Connection: close',
      'Content-Length: 1',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{`);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    t.match(answer, /^HTTP\/1.1 200 /, method);
    t.match(answer, /content-length: 11\r\n/i);
    t.equal(answer.endsWith('\r\n\r\n'), method === 'HEAD');
  }
});

test('HEAD needs the credential and the scope of GET, and counts as a read', async (t) => {
  const { id } = await gateway.client(world.identity);
  const { api_key: key } = await gateway.key(id);
  const { api_key: limited } = await gateway.key(id, { scopes: 'webhooks' });
  const head = (sent: object) => gateway.call(agents, { method: 'HEAD', ...sent });
  t.match(await head({}), { status: 401, text: '' });
  t.match(await head({ key: limited }), { status: 403, text: '' });
  const read = await gateway.call(agents, { key });
  const answered = await head({ key });
  t.match(answered, { status: 200, text: '' });
  t.same(lasting(answered.headers), lasting(read.headers));
  t.ok(Number(answered.headers.get('x-ratelimit-remaining')) < 50);
  t.equal(answered.headers.get('x-ratelimit-limit'), read.headers.get('x-ratelimit-limit'));
});

test('the operator API answers HEAD too, and asks for the key', async (t) => {
  const url = `${gateway.internalUrl}/internal/v1/clients`;
  t.equal((await fetch(url, { method: 'HEAD' })).status, 403);
  const { status, headers, text } = await gateway.operate('HEAD', '/clients');
  t.match({ status, text }, { status: 200, text: '' });
  t.ok(Number(headers.get('content-length')) > 0);
});
