import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { until } from '@countersign/runtime/testing';
import { t as file, test } from 'tap';
import { z } from 'zod';
import type { AnyRoute } from '../route.js';
import { adminKey, World } from './world.js';

/** More than are admitted at once by a service that has just started. */
const slowBodies = 600;

const world = await World.start();
file.teardown(() => world.close());
const options = { maxConnections: 2 * slowBodies };
const gateway = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' }, options);
const client = await gateway.client(world.identity);
const { api_key: key } = await gateway.key(client.id);
const slowly = portOf(gateway.url);
const head = `POST /api/v1/authorize HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n`;
const bodyHead = `${head}Content-Type: application/json\r\nContent-Length: 60000\r\n`;

/** A caller that sends what it is told to and never closes its side by itself. */
class Holder {
  answer = '';
  seconds = Number.NaN;
  gone = false;
  readonly #socket: Socket;
  readonly #startedAt = performance.now();

  constructor(bytes: string, port = slowly) {
    this.#socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.#socket.setEncoding('utf8');
    this.#socket.on('data', (text) => {
      this.answer += text;
    });
    this.#socket.on('end', () => {
      this.seconds = (performance.now() - this.#startedAt) / 1_000;
    });
    // A reset is how a connection that nobody has any more answers to what is sent on it.
    this.#socket
      .on('error', () => {})
      .on('close', () => {
        this.gone = true;
      });
    this.#socket.write(bytes);
  }

  get ended(): boolean {
    return !Number.isNaN(this.seconds);
  }

  send(bytes: string): void {
    this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.destroy();
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

async function noneInFlight(): Promise<boolean> {
  const { registry } = gateway.context.metrics;
  const gauge = await registry.getSingleMetric('countersign_authorize_under_way')?.get();
  return gauge?.values.every(({ value }) => value === 0) ?? false;
}

test('bodies that do not come keep nobody else from paying', async (t) => {
  // Told to go on is who has arrived at the gateway.
  const expecting = `${bodyHead}Expect: 100-continue\r\n\r\n{`;
  const holders = Array.from({ length: slowBodies }, () => new Holder(expecting));
  const arrived = () => holders.every(({ answer }) => answer.startsWith('HTTP/1.1 100 '));
  await until(arrived, { timeoutMs: 20_000, what: 'all slow bodies to arrive' });
  await until(noneInFlight, { timeoutMs: 20_000, what: 'all of them to stand aside' });
  const paid = await gateway.call('/api/v1/authorize', { key, body: { amount: '1' } });
  t.equal(paid.status, 200);
  for (const holder of holders) holder.close();
});

test('a slow sender is told so, and its connection is gone, whatever it does', async (t) => {
  const headers = new Holder(head);
  const body = new Holder(`${bodyHead}\r\n{`);
  const holders = [headers, body];
  const ended = () => holders.every((holder) => holder.ended);
  await until(ended, { timeoutMs: 20_000, what: 'both to be answered' });
  for (const { answer } of holders) {
    t.match(answer, /^HTTP\/1.1 408 /);
    t.match(answer, /\r\nConnection: close\r\n/i);
    const { error } = JSON.parse(answer.split('\r\n\r\n')[1] ?? '');
    t.match(error, { code: 'ERROR', request_id: String, docs_url: String });
  }
  t.ok(headers.seconds > 4 && headers.seconds < 9, `${headers.seconds} s`);
  t.ok(body.seconds > 7 && body.seconds < 12, `${body.seconds} s`);
  const gone = () => {
    for (const holder of holders) if (!holder.gone) holder.send('x');
    return holders.every((holder) => holder.gone);
  };
  await t.resolves(until(gone, { timeoutMs: 3_000, what: 'the connections to be gone' }));
  for (const holder of holders) holder.close();
});

test('what was told that it is late is not carried out when it does arrive', async (t) => {
  const done: unknown[] = [];
  const noted: AnyRoute = {
    ...{ method: 'POST', path: '/noted', plane: 'public', scope: null, rateGroup: 'none' },
    ...{ operation: 'note', summary: 'Note', tag: 'test', responses: { 200: null } },
    body: z.unknown(),
    handler: async (_, { sentBody }) => {
      done.push(sentBody);
      return { status: 200 };
    },
  };
  const connections: Socket[] = [];
  const servers: Server[] = [];
  const watch = (server: Server) => {
    server.on('connection', (socket) => connections.push(socket));
    servers.push(server);
  };
  const allow = (headersTimeout: number, requestTimeout: number) => {
    for (const server of servers) Object.assign(server, { headersTimeout, requestTimeout });
  };
  const hasty = await world.replica({}, { routes: [noted], watch });
  const body = '{"name":"late"}';
  const framing = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const toDo = `POST /noted HTTP/1.1\r\nHost: x\r\n${framing}${body}`;
  const client = `POST /internal/v1/clients HTTP/1.1\r\nHost: x\r\nX-Admin-Key: ${adminKey}\r\n`;
  const toCreate = `${client}${framing}${body}`;
  const late: Array<[sent: string, whole: string, url: string]> = [
    ['', toDo, hasty.url],
    [toDo.slice(0, 20), toDo, hasty.url],
    [toDo.slice(0, -5), toDo, hasty.url],
    [toCreate.slice(0, -5), toCreate, hasty.internalUrl],
  ];
  const holders = late.map(([sent, whole, url]) => {
    const holder = new Holder(sent, portOf(url));
    return Object.assign(holder, { rest: whole.slice(sent.length) });
  });
  const [unused, ...begun] = holders;
  const read = () => connections.filter(({ bytesRead }) => bytesRead > 0).length === begun.length;
  await until(read, { what: 'the gateway to read what was begun' });
  allow(1, 2);
  const ended = () => holders.every((holder) => holder.ended);
  await until(ended, { timeoutMs: 20_000, what: 'all to be answered' });
  for (const { answer } of begun) t.match(answer, /^HTTP\/1.1 408 /);
  t.equal(unused?.answer, '', 'of nothing there is nothing to tell');
  for (const holder of holders) holder.send(holder.rest);
  const cut = () => connections.every(({ destroyed }) => destroyed);
  await until(cut, { what: 'the gateway to read no more' });
  t.same(done, []);
  allow(60_000, 60_000);
  await hasty.call('/noted', { body: 'in time' });
  t.same(done, ['in time']);
  const { json: clients } = await gateway.operate('GET', '/clients');
  t.notMatch(JSON.stringify(clients), '"late"');
});
