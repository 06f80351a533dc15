import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from 'nats';
import { test } from 'tap';
import { NatsFront } from '../test/nats-front.js';
import { quietBus } from '../test/quiet-bus.js';
import { until } from '../testing.js';
import { accessTo } from './access.js';
import { BusConnection } from './connection.js';

test('servers and login are taken from the URLs', (t) => {
  const of = (url: string) => accessTo({ url });
  t.same(of('nats://a:1, nats://b'), { servers: ['a:1', 'b'] });
  t.same(of('a:1,[::1]:2'), { servers: ['a:1', '[::1]:2'] });
  t.same(of('nats://u:p%40%2Fs@a:1,nats://b:1'), {
    ...{ servers: ['a:1', 'b:1'], user: 'u', pass: 'p@/s' },
  });
  t.same(of('nats://100%25@a'), { servers: ['a'], token: '100%' });
  t.same(of('tls://a:1,nats://b:1'), { servers: ['a:1', 'b:1'], tls: {} });
  const files = { certFile: '/c', keyFile: '/k' };
  t.same(accessTo({ url: 'a', ...files }), { servers: ['a'], tls: files });
  t.end();
});

test('a server without TLS is not spoken to by tls://', async (t) => {
  const front = await NatsFront.open();
  t.teardown(() => front.close());
  const connection = new BusConnection(quietBus({ url: `tls://${front.host}` }));
  const refused = t.rejects(connection.get(), { message: 'tls' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await connection.close();
  await refused;
  t.same(front.logins, []);
});

test('the login is in what the server is told', async (t) => {
  const front = await NatsFront.open();
  t.teardown(() => front.close());
  const connection = new BusConnection(quietBus({ url: `nats://u:s%3Acret@${front.host}` }));
  await connection.get();
  t.match(front.logins, [{ user: 'u', pass: 's:cret' }]);
  t.equal(connection.maxMessageBytes(), 65_536);
  await connection.close();
});

test('credentials of a file are read again for every connection', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bus-'));
  const front = await NatsFront.open();
  t.teardown(() => {
    front.close();
    rmSync(folder, { recursive: true });
  });
  const credentialsFile = join(folder, 'bus.creds');
  const [one, other] = [nkeys.createUser(), nkeys.createUser()];
  const seed = (pair: typeof one) => Buffer.from(pair.getSeed()).toString();
  writeFileSync(credentialsFile, `${seed(one)}\n`);
  const url = `nats://${front.host}`;
  const connection = new BusConnection(quietBus({ url, credentialsFile }));
  await connection.get();
  t.match(front.logins, [{ nkey: one.getPublicKey(), sig: /./ }]);
  const part = (kind: string, content: string) =>
    `-----BEGIN ${kind}-----\n${content}\n------END ${kind}------\n`;
  writeFileSync(
    credentialsFile,
    `${part('NATS USER JWT', 'e30.e30.x')}\n${part('USER NKEY SEED', seed(other))}`,
  );
  front.cut();
  await until(() => front.logins.length === 2, { what: 'another connection' });
  t.match(front.logins[1], { jwt: 'e30.e30.x', nkey: other.getPublicKey() });
  rmSync(credentialsFile);
  front.cut();
  await until(() => front.logins.length === 3, { what: 'one without the file' });
  t.match(front.logins[2], { jwt: 'e30.e30.x' });
  await connection.close();
});
