import { connect } from 'node:net';
import { t as file, test } from 'tap';
import { routes } from '../routes.js';
import { startPaying } from './paying.js';
import * as samples from './samples.js';

const { world, services, options, key, body, close } = await startPaying();
file.teardown(close);
const gateway = await world.replica(options, { routes });
const port = Number(new URL(gateway.url).port);
services.on('Authorize', () => ({ answer: '{"decision":"APPROVE"}' }));

const rubbish = 'rubbish\r\n\r\n';
const tooLarge = `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`;

interface Sent {
  id?: string;
  headers?: readonly string[];
  text?: string;
}

function payment({ id = 'pay', headers, text = JSON.stringify(body) }: Sent = {}): string {
  const framing = headers ?? [`Content-Length: ${Buffer.byteLength(text)}`];
  const lines = ['POST /api/v1/authorize HTTP/1.1', 'Host: x', `X-API-Key: ${key}`];
  lines.push('Content-Type: application/json', `X-Request-ID: ${id}`, ...framing);
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}

interface Manner {
  /** Whether the caller closes its side with the last byte. */
  last?: 'write' | 'end';
  /** What it sends once it has the first answer. */
  later?: string;
}

/** The status and the id of each answer, until the gateway closes the connection. */
function answersTo(bytes: string, { last = 'write', later = '' }: Manner = {}): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket[last](bytes));
    socket.once('data', () => later && socket.write(later));
    let answers = '';
    socket.setEncoding('utf8').on('data', (text) => {
      answers += text;
    });
    socket.on('error', reject).on('close', () => {
      const heads = answers.split('HTTP/1.1 ').slice(1);
      resolve(heads.map((head) => `${head.slice(0, 3)} ${idIn(head)}`));
    });
  });
}

function idIn(head: string): string {
  const id = /^X-Request-ID: (.*)\r$/im.exec(head)?.[1] ?? 'none';
  return id.startsWith('req_') ? 'new' : id;
}

test('what cannot be read is answered after the payments before it', async (t) => {
  const chunked = { id: 'bad', headers: ['Transfer-Encoding: chunked'], text: 'xyz\r\n\r\n' };
  const two = payment({ id: 'a' }) + payment({ id: 'b' });
  t.same(await answersTo(two + rubbish), ['200 a', '200 b', '400 new']);
  t.same(await answersTo(payment() + tooLarge), ['200 pay', '431 new']);
  t.same(await answersTo(two + payment(chunked)), ['200 a', '200 b', '400 new']);
  t.same(await answersTo(payment(chunked)), ['400 new'], 'nothing before it');
});

test('a payment is handled after what was sent before it', async (t) => {
  const approve = () => ({ answer: '{"decision":"APPROVE"}' });
  const atOnce: number[] = [];
  let underWay = 0;
  services.on('Authorize', async () => {
    underWay += 1;
    atOnce.push(underWay);
    await gateway.call('/api/v1/health/live');
    underWay -= 1;
    return approve();
  });
  const ids = ['a', 'b', 'c', 'd'];
  const four = ids.map((id) => payment({ id })).join('');
  t.same(await answersTo(four + rubbish), [...ids.map((id) => `200 ${id}`), '400 new']);
  t.same(atOnce, [1, 1, 1, 1]);
  services.on('Authorize', approve);
});

test('so is what only reads', async (t) => {
  const atOnce: number[] = [];
  let underWay = 0;
  services.on('GetAgentProfiles', () => ({ profiles: [] }));
  services.on('GetAgent', async () => {
    underWay += 1;
    atOnce.push(underWay);
    await gateway.call('/api/v1/health/live');
    underWay -= 1;
    return samples.agentRecord();
  });
  const read = (id: string, method = 'GET') => {
    const lines = [`${method} /api/v1/agents/${id} HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`];
    return `${[...lines, `X-Request-ID: ${id}`].join('\r\n')}\r\n\r\n`;
  };
  const sent = read('agt_a') + read('agt_b', 'HEAD') + payment() + read('agt_c') + rubbish;
  t.same(await answersTo(sent), ['200 agt_a', '200 agt_b', '200 pay', '200 agt_c', '400 new']);
  t.same(atOnce, [1, 1, 1]);
});

test('what follows a request that closes its connection is not answered', async (t) => {
  const text = JSON.stringify(body);
  const closing = payment({
    text,
    headers: [`Content-Length: ${Buffer.byteLength(text)}`, 'Connection: close'],
  });
  services.forget();
  t.same(await answersTo(closing + rubbish), ['200 pay']);
  t.same(await answersTo(closing + payment({ id: 'behind' })), ['200 pay']);
  t.equal(services.requests('Authorize').length, 2, 'nor is it decided');
});

test('a request that was answered before its body was read has no second answer', async (t) => {
  const refused = 'POST /nowhere HTTP/1.1\r\nHost: x\r\nX-Request-ID: early\r\n';
  const chunked = `${refused}Transfer-Encoding: chunked\r\n\r\n`;
  t.same(await answersTo(`${payment()}${chunked}${rubbish}`), ['200 pay', '404 early']);
  t.same(await answersTo(chunked, { later: rubbish }), ['404 early']);
  const whole = `1\r\n{\r\n0\r\n\r\n`;
  t.same(await answersTo(chunked, { later: whole + rubbish }), ['404 early', '400 new']);
});

test('CONNECT is refused, after the payments before it', async (t) => {
  const tunnel = 'CONNECT api.test:443 HTTP/1.1\r\nHost: api.test:443\r\n\r\n';
  t.same(await answersTo(tunnel), ['405 new']);
  t.same(await answersTo(payment() + tunnel + rubbish), ['200 pay', '405 new']);
});

test('a caller that sends no more still gets its answers', async (t) => {
  t.same(await answersTo(payment(), { last: 'end' }), ['200 pay']);
  const two = payment({ id: 'a' }) + payment({ id: 'b' });
  t.same(await answersTo(two, { last: 'end' }), ['200 a', '200 b']);
  t.same(
    await answersTo(two.slice(0, -1), { last: 'end' }),
    ['200 a', '400 new'],
    'the second is not whole',
  );
});
