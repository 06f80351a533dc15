import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog } from '@countersign/runtime/log';
import { type Test, test } from 'tap';
import { listen } from './http-server.js';

const log = createLog({ service: 'gateway', level: 'silent' });
const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** A server that answers once a body has arrived, and how to connect to it. */
async function start(t: Test) {
  const lifecycle = new Lifecycle(log);
  const port = await listen(
    (request, response) => request.resume().once('end', () => response.end('done')),
    { name: 'test', host: '127.0.0.1', port: 0, maxConnections: 8, baseUrl: 'http://x', lifecycle },
  );
  t.teardown(() => lifecycle.shutdown());
  return { lifecycle, open: () => connect(port, '127.0.0.1') };
}

/** All that it sends until the connection ends; fails where it is reset. */
async function received(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

test('a request on an open connection is answered, though the end has begun', async (t) => {
  const { lifecycle, open } = await start(t);
  const socket = open();
  socket.write(get);
  const [first] = await once(socket, 'data');
  t.match(String(first), 'HTTP/1.1 200');
  const ended = lifecycle.shutdown();
  socket.write(get);
  t.match(await received(socket), 'HTTP/1.1 200');
  await ended;
});

test('so is one on a connection that nobody has accepted yet', async (t) => {
  const { lifecycle, open } = await start(t);
  const socket = open();
  socket.write(get);
  await new Promise<void>(process.nextTick);
  const ended = lifecycle.shutdown();
  t.match(await received(socket), 'HTTP/1.1 200');
  await ended;
});

test('a connection on which nothing is sent does not hold up the end', async (t) => {
  const { lifecycle, open } = await start(t);
  const silent = open();
  const slow = open();
  slow.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n1');
  await Promise.all([once(silent, 'connect'), once(slow, 'connect')]);
  const ended = lifecycle.shutdown();
  silent.resume();
  await once(silent, 'close');
  slow.write('2');
  t.match(await received(slow), 'HTTP/1.1 200', 'while others are still waited for');
  await ended;
});
