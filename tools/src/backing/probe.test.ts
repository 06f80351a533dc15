import { createServer } from 'node:net';
import { test } from 'tap';
import { nats } from './nats.js';
import { addressOf, probe } from './probe.js';

test('a URL without a port names the port that the server has by default', (t) => {
  t.same(addressOf('redis://localhost', 6379), { host: 'localhost', port: 6379 });
  t.same(addressOf('redis://user:secret@localhost:7/0', 6379), { host: 'localhost', port: 7 });
  t.end();
});

test('an address of IPv6 has brackets in a URL only', async (t) => {
  t.same(addressOf('nats://[::1]:7', 4222), { host: '::1', port: 7 });
  t.same(addressOf('nats://[2001:db8::1]', 4222), { host: '2001:db8::1', port: 4222 });
});

test('of several servers of NATS the first is asked', async (t) => {
  const server = createServer((socket) => socket.end('INFO {}\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  t.ok(await nats.answers(`127.0.0.1:${port},127.0.0.1:1`));
  t.ok(await nats.answers(`nats://127.0.0.1:${port}/`));
  t.notOk(await probe(`nats://127.0.0.1:${port}`, { expect: '+PONG', port: 4222 }));
});
