import { connect, createServer } from 'node:net';
import { pathToFileURL } from 'node:url';
import { test } from 'tap';
import { createPool } from '../database.js';
import { createLog } from '../log.js';
import { listening } from '../testing/listening.js';
import { testUrl } from '../testing.js';
import { assertMigrated } from './migrations.js';

const log = createLog({ service: 'test', level: 'silent' });

test('a database that cannot be reached yet is waited for, one that refuses is not', async (t) => {
  const url = new URL(testUrl('postgres'));
  const [host, port] = [url.hostname, Number(url.port)];
  let connections = 0;
  const proxy = createServer((socket) => {
    connections += 1;
    if (connections <= 2) return socket.destroy();
    const server = connect(port, host);
    server.on('error', () => socket.destroy());
    socket.on('error', () => server.destroy());
    socket.pipe(server).pipe(socket);
  });
  const { port: near, close } = await listening(proxy);
  t.teardown(close);
  url.port = String(near);
  const none = pathToFileURL(`${t.testdir({})}/`);

  const pool = createPool({ url: url.href, size: 1, log });
  await assertMigrated(pool, none);
  t.equal(connections, 3);
  await pool.end();

  url.pathname = '/no_such_database';
  const refused = createPool({ url: url.href, size: 1, log });
  await t.rejects(assertMigrated(refused, none), { code: '3D000' });
  t.equal(connections, 4);
  await refused.end();
});
