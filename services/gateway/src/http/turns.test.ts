import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog } from '@countersign/runtime/log';
import { until } from '@countersign/runtime/testing';
import { type Test, test } from 'tap';
import { listen } from './http-server.js';

const log = createLog({ service: 'gateway', level: 'silent' });
const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** A read has 64 KiB at most, so some sixty of these. */
const large = get.replace('\r\n\r\n', `\r\nX: ${'x'.repeat(1_000)}\r\n\r\n`);
const last = get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');

async function start(t: Test, handle: RequestListener, watch: (server: Server) => void) {
  const lifecycle = new Lifecycle(log);
  const bind = { host: '127.0.0.1', port: 0, maxConnections: 8, baseUrl: 'http://x' };
  const port = await listen(handle, { name: 'test', ...bind, lifecycle, watch });
  t.teardown(() => lifecycle.shutdown());
  return { open: () => connect(port, '127.0.0.1') };
}

test('of a caller that sends faster than it is answered no more is read meanwhile', async (t) => {
  let read = 0;
  let answered = 0;
  let mostWaiting = 0;
  const { open } = await start(
    t,
    (_, response) => {
      mostWaiting = Math.max(mostWaiting, read - answered);
      setImmediate(() => response.end(String(answered++)));
    },
    (server) => server.on('request', () => read++),
  );
  const socket = open();
  const count = 2_000;
  socket.write(large.repeat(count - 1));
  socket.write(last);
  let answers = '';
  for await (const chunk of socket) answers += chunk;
  const bodies = answers.split('HTTP/1.1 200').map((answer) => answer.split('\r\n').at(-1));
  t.equal(answers.split('HTTP/1.1 200').length - 1, count, 'all are answered');
  t.match(bodies.at(-1), String(count - 1));
  t.ok(mostWaiting < 200, `${mostWaiting} waited at once`);
});

test('what was sent in time is not too late because it was not read', async (t) => {
  const { open } = await start(
    t,
    (_, response) => setTimeout(() => response.end('done'), 10),
    // Node looks every half second, and this takes longer.
    (server) => Object.assign(server, { headersTimeout: 50, requestTimeout: 50 }),
  );
  const socket = open();
  const count = 150;
  socket.write(large.repeat(count - 1) + last);
  let answers = '';
  for await (const chunk of socket) answers += chunk;
  t.equal(answers.split('HTTP/1.1 200').length - 1, count);
  t.notMatch(answers, 'HTTP/1.1 408');
});

test('an answer that nobody reads ends its connection, and no connection besides', async (t) => {
  const connections: Socket[] = [];
  let watched: Server | undefined;
  const answer = 'x'.repeat(64 * 1024 * 1024);
  const { open } = await start(
    t,
    ({ url }, response) => response.end(url === '/large' ? answer : 'done'),
    (server) => {
      watched = server;
      server.on('connection', (socket) => connections.push(socket));
    },
  );
  const kept = open();
  kept.write(get);
  await once(kept, 'data');
  t.equal(watched?.timeout, 30_000);
  // From the next connection on; Node counts an idle one by `keepAliveTimeout`.
  Object.assign(watched ?? {}, { timeout: 50 });
  const unread = open().pause();
  unread.on('error', () => {});
  unread.write(get.replace('/', '/large'));
  await once(unread, 'connect');
  await until(() => connections.length === 2, { what: 'the second connection' });
  await once(connections[1] as Socket, 'close');
  kept.write(get);
  const [again] = await once(kept, 'data');
  t.match(String(again), 'HTTP/1.1 200');
  kept.destroy();
  unread.destroy();
});
