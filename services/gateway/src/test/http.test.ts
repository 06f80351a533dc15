import { connect } from 'node:net';
import { until } from '@countersign/runtime/testing';
import fc from 'fast-check';
import { t as file, test } from 'tap';
import type { Answer } from './request.js';
import { World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const gateway = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' });
const client = await gateway.client(world.identity);
const { api_key: key } = await gateway.key(client.id);
const mandates = '/api/v1/mandates';

const send = (raw: string | Uint8Array): Promise<Answer> => gateway.call(mandates, { key, raw });

/** What a server answers to bytes that no HTTP client would send. */
function sendBytes(bytes: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    let answer = '';
    socket.setTimeout(15_000, () => reject(new Error('no answer')));
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

test('a body is read strictly: each corpus entry has its status', async (t) => {
  const corpus: Array<[raw: string | Uint8Array, status: number, type?: string]> = [
    ['{"amount":"1"}', 201],
    ['{"amount":1}', 201],
    ['', 422, 'required'],
    ['{}', 422, 'required'],
    ['[]', 422],
    ['null', 422],
    ['"x"', 422],
    ['1', 422],
    ['{', 400],
    ['{"amount":1,}', 400],
    ['{"amount":1,"amount":2}', 400],
    ['\ufeff{"amount":1}', 400],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400],
    ['['.repeat(100_000), 400],
    [`{"metadata":${'{"a":'.repeat(40)}1${'}'.repeat(40)},"amount":1}`, 400],
    ['{"amount":"1","note":"\\u0000"}', 422, 'invalid_characters'],
    ['{"amount":"1","note":"\\ud800"}', 422, 'invalid_characters'],
    ['{"amount":"1","note":"\ue000A\ue001"}', 422, 'invalid_characters'],
    ['{"amount":"1","metadata":{"deep":["\\u0000"]}}', 422, 'invalid_characters'],
    ['{"amount":"1","__proto__":{"x":1}}', 422, 'unrecognized_keys'],
    ['{"amount":"1","constructor":1}', 422, 'unrecognized_keys'],
    ['{"amount":"1","more":1}', 422, 'unrecognized_keys'],
    ['{"amount":1e400}', 422, 'invalid_number'],
    ['{"amount":"1","count":9007199254740993}', 422],
    ['{"amount":"1","count":1.5}', 422],
    ['{"amount":999999999999999.99}', 201],
    ['{"amount":1e15}', 422, 'too_large'],
    ['{"amount":0.0000000000000000001}', 422, 'too_many_decimals'],
    ['{"amount":-1}', 422, 'not_positive'],
    [`{"amount":"1","note":"${'x'.repeat(300_000)}"}`, 413],
  ];
  for (const [raw, status, type] of corpus) {
    const answer = await send(raw);
    const what = raw.slice(0, 60).toString();
    t.equal(answer.status, status, what);
    if (status >= 400) t.match(answer.json.error, { code: String, request_id: String }, what);
    if (type) t.match(answer.json.error.details.errors, [{ type }], what);
  }
});

test('a body has at most 256 KiB, whether or not its length is announced', async (t) => {
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': key };
  const inChunks = (text: string): Promise<Response> => {
    const sent = { method: 'POST', headers, body: new Blob([text]).stream(), duplex: 'half' };
    return fetch(`${gateway.url}${mandates}`, sent as RequestInit);
  };
  for (const [bytes, status] of [
    [256 * 1024, 201],
    [256 * 1024 + 1, 413],
  ] as const) {
    const text = '{"amount":"1"}'.padEnd(bytes);
    t.equal((await send(text)).status, status, `${bytes} bytes`);
    t.equal((await inChunks(text)).status, status, `${bytes} bytes in chunks`);
  }
});

test('an empty body in chunks is none, and needs no type', async (t) => {
  const port = Number(new URL(gateway.url).port);
  const lines = [`POST ${mandates} HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`, 'Connection: close'];
  const head = [...lines, 'Transfer-Encoding: chunked'].join('\r\n');
  const answer = await sendBytes(`${head}\r\n\r\n0\r\n\r\n`, port);
  t.match(answer, 'HTTP/1.1 422 ');
  t.match(answer, '"required"');
});

test('a caller who goes away before the answer hurts nobody else', async (t) => {
  const body = '{"amount":"1"}';
  const lines = [`POST ${mandates} HTTP/1.1`, 'Host: x', 'Content-Type: application/json'];
  const head = [...lines, `X-API-Key: ${key}`, `Content-Length: ${body.length}`].join('\r\n');
  const leave = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1', () => {
        socket.write(`${head}\r\n\r\n${body}`, () => socket.destroy());
      });
      socket.on('error', reject).on('close', () => resolve());
    });
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(Array.from({ length: 5 }, leave));
    t.equal((await send(body)).status, 201);
  }
});

test('money is read from its source text, digit by digit', async (t) => {
  const amountOf = async (source: string) => (await send(`{"amount":${source}}`)).json.body.amount;
  t.equal(await amountOf('279.99'), '279.99');
  t.equal(await amountOf('10.00'), '10');
  t.equal(await amountOf('999999999999999.123456789'), '999999999999999.123456789');
  t.equal(await amountOf('0.100000000000000001'), '0.100000000000000001');
  t.equal(await amountOf('1e3'), '1000');
});

test('all that is wrong with a request is in one answer', async (t) => {
  const { json } = await send(
    '{"amount":"-1","note":"\\u0000","count":"x","more":1,' +
      '"list":[{"name":"ok"},{"name":"too long"}]}',
  );
  const fields = json.error.details.errors.map(({ field }: { field: string }) => field);
  t.same(fields.sort(), ['amount', 'count', 'list.1.name', 'more', 'note']);
});

test('never a 5xx, always the envelope: malformed bodies', async (t) => {
  const pieces = ['{', '}', '[', ']', ':', ',', '"', '\\', '"amount"', '1', '-', 'e', 'null', '\0'];
  const text = fc
    .array(fc.constantFrom(...pieces), { maxLength: 30 })
    .map((parts) => parts.join(''));
  const bytes = fc.uint8Array({ maxLength: 60 });
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, bytes, fc.json()), async (raw) => {
      const { status, json } = await send(raw);
      answered += 1;
      if (status >= 500 || (status !== 201 && typeof json?.error?.code !== 'string')) {
        throw new Error(`${status} ${JSON.stringify(json)}`);
      }
    }),
    { numRuns: 300 },
  );
  t.equal(answered, 300);
});

test('never a 5xx: hostile paths, queries and headers', async (t) => {
  const paths = [
    '%00',
    '%E0%A4%A',
    '%',
    '..%2f..',
    '%ff',
    'a'.repeat(4_000),
    '%EE%80%80',
    "' OR 1=1",
  ];
  for (const path of paths) {
    const answer = await gateway.call(`/api/v1/agents/${path}`, { key });
    t.ok(answer.status < 500, `${path.slice(0, 20)}: ${answer.status}`);
    const query = await gateway.call(`/api/v1/agents?limit=${path}&limit[]=2&limit=3`, { key });
    t.ok(query.status < 500, `${path.slice(0, 20)}: ${query.status}`);
  }
  for (const path of ['%00', 'agt_1?x=%00']) {
    t.equal((await gateway.call(`/api/v1/agents/${path}`, { key })).status, 422, path);
  }
  for (const header of ['X-API-Key', 'Authorization', 'X-Principal-Id', 'X-Forwarded-For']) {
    const headers = {
      'X-API-Key': key,
      [header]: 'é€ñ'.normalize('NFD').replace(/[^\x20-\x7e]/g, '~'),
    };
    const { status } = await gateway.call('/api/v1/agents', { headers });
    t.ok(status < 500, `${header}: ${status}`);
  }
});

test('a body that is no object is named as what is wrong', async (t) => {
  const { json } = await send('[]');
  t.equal(json.error.message, 'The request is not valid: the body must be an object.');
});

test('a query parameter that is given twice is refused in these words', async (t) => {
  const { json } = await gateway.call('/api/v1/agents?limit=1&limit=2', { key });
  t.equal(json.error.message, 'The request is not valid: limit must be given once.');
  const [error] = json.error.details.errors;
  t.same(error, { field: 'limit', message: 'must be given once', type: 'invalid_type' });
});

test('what is not HTTP gets the envelope too', async (t) => {
  const port = Number(new URL(gateway.url).port);
  const cases: Array<[bytes: string, status: number]> = [
    ['rubbish\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: x/y\r\n\r\n', 400],
    ['GET / HTTP/1.0\r\nExpect: more\r\n\r\n', 404],
    ['GET / HTTP/1.1\r\nHost: [::1]:80\r\nExpect: more\r\nConnection: close\r\n\r\n', 417],
    ['GET / HTTP/1.1\r\nHost:\r\nExpect: 100-Continue\r\nConnection: close\r\n\r\n', 100],
    ['FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['FOO / HTTP/2.0\r\nHost: x\r\n\r\n', 400],
    ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}} more\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', 400],
    ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
  ];
  for (const [bytes, status] of cases) {
    const answer = await sendBytes(bytes, port);
    const what = bytes.slice(0, 40);
    t.match(answer, `HTTP/1.1 ${status} `, what);
    const text = answer.split('\r\n\r\n').at(-1) ?? '';
    t.match(JSON.parse(text), { error: { request_id: String } }, what);
    t.match(answer, /\r\nX-Request-ID: /i, what);
    t.match(answer, /\r\nCache-Control: no-store\r\n/i, what);
  }
});

test('no header is lost among many', async (t) => {
  const port = Number(new URL(gateway.url).port);
  const body = '{"amount":"1"}';
  const lines = [`POST ${mandates} HTTP/1.1`, 'Host: x', ...Array(2_000).fill('a:b')];
  lines.push(`X-API-Key: ${key}`, 'Content-Type: application/json', 'Connection: close');
  lines.push(`Content-Length: ${body.length}`);
  t.match(await sendBytes(`${lines.join('\r\n')}\r\n\r\n${body}`, port), 'HTTP/1.1 201 ');
});

test('shutting down finishes what was taken and takes no more', async (t) => {
  const ending = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' });
  await ending.call('/api/v1/agents', { key });
  const port = Number(new URL(ending.url).port);
  const request = `{"amount":"1"}`;
  const head = [
    `POST ${mandates} HTTP/1.1`,
    'Host: x',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${request.length}\r\n\r\n`,
  ].join('\r\n');
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  await new Promise<void>((resolve) => socket.write(head + request.slice(0, 3), () => resolve()));
  await ending.call('/api/v1/public');
  const shutdown = ending.lifecycle.shutdown();
  const refused = () =>
    fetch(`${ending.url}/api/v1/public`).then(
      () => false,
      () => true,
    );
  await until(refused, { what: 'new connections to be refused' });
  socket.write(request.slice(3));
  const started = performance.now();
  await shutdown;
  t.ok(performance.now() - started < 4_000, 'it does not wait for connections that are idle');
  await closed;
  t.match(answer, 'HTTP/1.1 201');
  t.match(answer, /\r\nConnection: close\r\n/i, 'though it was taken before the end began');
});
