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
  // A read has 64 KiB at most, so some sixty of these.
  const large = get.replace('\r\n\r\n', `\r\nX: ${'x'.repeat(1_000)}\r\n\r\n`);
  socket.write(large.repeat(count - 1));
  socket.write(get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  let answers = '';
  for await (const chunk of socket) answers += chunk;
  const bodies = answers.split('HTTP/1.1 200').map((answer) => answer.split('\r\n').at(-1));
  t.equal(answers.split('HTTP/1.1 200').length - 1, count, 'all are answered');
  t.match(bodies.at(-1), String(count - 1));
  t.ok(mostWaiting < 200, `${mostWaiting} waited at once`);
});

test('an answer that nobody reads ends its connection, and no connection besides', async (t) => {
  const connections: Socket[] = [];
  const answer = 'x'.repeat(64 * 1024 * 1024);
  const { open } = await start(
    t,
    ({ url }, response) => response.end(url === '/large' ? answer : 'done'),
    (server) => {
      t.equal(server.timeout, 30_000);
      server.timeout = 50;
      server.on('connection', (socket) => connections.push(socket));
    },
  );
  const kept = open();
  kept.write(get);
  await once(kept, 'data');
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
