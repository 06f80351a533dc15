import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { isPublicAddress } from '@countersign/runtime/outgoing/public-address';
import { UrlGuard } from '@countersign/runtime/outgoing/url-guard';
import { listening } from '@countersign/runtime/testing/listening';
import t, { test } from 'tap';
import { createPoster } from './post.js';
import { certificate, certificateKey } from './test/certificate.js';
import { startNameServer } from './test/name-server.js';
import { startReceiver } from './test/receiver.js';

const names = await startNameServer();
t.teardown(() => names.close());

const guard = new UrlGuard({ allowedHosts: [], dnsServers: [names.address] });

/** For whatever is answered in the end: a busy machine takes its time. */
const patience = { timeoutMs: 30_000, connectTimeoutMs: 30_000 };

/**
 * URLs that reach non-public addresses, or once did in some implementation, in every known
 * notation.
 */
const hostile = `
  127.0.0.1 127.1 127.0.1 127.255.255.254 0 0.0.0.0 0x7f.1 0x7f000001 0X7F.0.0.1 017700000001
  0177.0.0.1 0177.0.0.01 2130706433 3232235777 0xc0a80101 0xa9fea9fe 2852039166 169.254.169.254
  0251.0376.0251.0376 0xa9.0xfe.0xa9.0xfe 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200
  172.16.0.1 172.31.255.255 192.168.0.1 192.168.1.1. 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1
  198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1
  255.255.255.255 168.63.129.16 １２７.0.0.1 127。0。0。1 ①②⑦.⓪.⓪.① 127.0.0.1%2e
  [::] [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:8.8.8.8] [::127.0.0.1]
  [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::8.8.8.8] [64:ff9b:1::1] [100::1]
  [2001::1] [2001:0:7f00:1::] [2001:10::1] [2001:20::1] [2001:2::1] [2001:db8::1]
  [2002:7f00:1::] [2002:c0a8:101::1] [2002:808:808::] [3ffe::1] [3fff::1] [5f00::1] [4000::1]
  [fc00::1] [fd00:ec2::254] [fe80::1] [febf::1] [fec0::1] [ff02::1] [::ffff:169.254.169.254]
`
  .trim()
  .split(/\s+/);

const publicHosts = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.1',
]
  .concat([
    '126.255.255.255',
    '128.0.0.1',
    '169.253.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.0.1',
  ])
  .concat(['192.0.1.1', '198.17.0.1', '198.20.0.1', '223.255.255.255', '168.63.129.17'])
  .concat([
    '[2001:200::1]',
    '[2001:4860:4860::8888]',
    '[2606:4700::1111]',
    '[2003::1]',
    '[2a00::1]',
  ]);

test('non-public addresses are rejected in every notation, also on connection', async (t) => {
  t.ok(hostile.length > 75);
  const poster = createPoster({ guard, ...patience });
  for (const host of hostile) {
    const url = `https://${host}/hook`;
    t.ok(await guard.check(url, 'sandbox'), `${host} registered`);
    if (!URL.canParse(url)) continue;
    // Directly, as if the check before the connection had been bypassed.
    const result = await poster.post({ url, headers: {}, body: Buffer.from('{}') });
    t.match(result.error, /^(ADDRESS_REFUSED|NAME_NOT_RESOLVED)$/, `${host} dialled`);
  }
  await poster.close();
});

test('public addresses adjacent to every blocked range are accepted', async (t) => {
  for (const host of publicHosts)
    t.equal(await guard.check(`https://${host}/`, 'live'), null, host);
  t.notOk(isPublicAddress('fe80::1%eth0'));
  t.notOk(isPublicAddress('not an address'));
  t.notOk(isPublicAddress('0127.0.0.1'), 'only the canonical notation is an address');
});

test('URLs with an invalid scheme, credentials, port or length are rejected', async (t) => {
  const cases: Array<[url: string, environment: 'live' | 'sandbox', problem: string | null]> = [
    ['http://8.8.8.8/', 'sandbox', 'scheme_not_https'],
    ['ftp://8.8.8.8/', 'sandbox', 'scheme_not_https'],
    ['file:///etc/passwd', 'sandbox', 'scheme_not_https'],
    ['javascript:alert(1)', 'sandbox', 'scheme_not_https'],
    ['not a url', 'sandbox', 'url_malformed'],
    ['https://', 'sandbox', 'url_malformed'],
    ['https://user@8.8.8.8/', 'sandbox', 'credentials_in_url'],
    ['https://:pass@8.8.8.8/', 'sandbox', 'credentials_in_url'],
    ['https://8.8.8.8@127.0.0.1/', 'sandbox', 'credentials_in_url'],
    ['https://8.8.8.8:444/', 'live', 'port_not_allowed'],
    ['https://8.8.8.8:22/', 'live', 'port_not_allowed'],
    ['https://8.8.8.8:444/', 'sandbox', null],
    ['https://8.8.8.8:8443/', 'live', null],
    ['https://8.8.8.8:443/', 'live', null],
    [`https://8.8.8.8/${'a'.repeat(2033)}`, 'live', 'url_too_long'],
    [`https://8.8.8.8/${'a'.repeat(2032)}`, 'live', null],
  ];
  for (const [url, environment, problem] of cases) {
    t.equal(await guard.check(url, environment), problem, url.slice(0, 40));
  }
});

test('a name without an address, or with a non-public one, is rejected', async (t) => {
  names.set('good.example', ['93.184.216.34', '2606:2800:220:1::1']);
  names.set('mixed.example', ['93.184.216.34', '10.0.0.1']);
  names.set('six.example', ['93.184.216.34', '::1']);
  names.set('meta.example', ['169.254.169.254']);
  names.set('empty.example', []);
  const check = (host: string) => guard.check(`https://${host}/`, 'live');
  t.equal(await check('good.example'), null);
  t.equal(await check('GOOD.example.'), null);
  t.equal(await check('mixed.example'), 'address_not_public');
  t.equal(await check('six.example'), 'address_not_public');
  t.equal(await check('meta.example'), 'address_not_public');
  t.equal(await check('empty.example'), 'name_not_resolved');
  t.equal(await check('nowhere.example'), 'name_not_resolved');
  t.ok(await check('localhost'), 'not even by the hosts file');
  names.silence('silent.example');
  const silent = Array.from({ length: 8 }, () => check('silent.example'));
  t.equal(await check('good.example'), null, 'unanswered queries do not block others');
  t.same(new Set(await Promise.all(silent)), new Set(['name_not_resolved']));
});

test('a name that later resolves to a non-public address is rejected on connection', async (t) => {
  names.set('moving.example', ['93.184.216.34']);
  t.equal(await guard.check('https://moving.example/', 'sandbox'), null);
  const inside = await startReceiver();
  names.set('moving.example', ['127.0.0.1']);
  const poster = createPoster({ guard, ...patience });
  for (const scheme of ['http', 'https']) {
    const url = `${scheme}://moving.example:${inside.port}/`;
    const { error } = await poster.post({ url, headers: {}, body: Buffer.from('{}') });
    t.equal(error, 'ADDRESS_REFUSED');
  }
  t.equal(inside.received.length, 0, 'nothing was sent');
  const queriesBefore = names.queryCount('moving.example');
  await poster.post({ url: 'http://moving.example:1/', headers: {}, body: Buffer.from('{}') });
  t.ok(
    names.queryCount('moving.example') > queriesBefore,
    'every connection resolves the name again',
  );
  await poster.close();
  await inside.close();
});

test('connections use the checked address, and the certificate must match the name', async (t) => {
  const served: string[] = [];
  const server = createTlsServer(
    { cert: certificate, key: certificateKey },
    (request, response) => {
      served.push(`${request.headers.host} ${request.socket.localAddress}`);
      response.end('ok');
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  // Loopback stands in for the public internet, except for the one address that counts as private.
  const isPublic = (address: string) => address.startsWith('127.0.0.') && address !== '127.0.0.9';
  const world = new UrlGuard({ allowedHosts: [], dnsServers: [names.address], isPublic });
  const options = { guard: world, ...patience, ca: certificate };
  const poster = createPoster(options);
  const post = async (host: string) => {
    const url = `https://${host}:${port}/`;
    const { statusCode, error } = await poster.post({ url, headers: {}, body: Buffer.from('{}') });
    return statusCode ?? error;
  };
  names.set('hooks.example', ['127.0.0.2']);
  t.equal(await post('hooks.example'), 200);
  t.same(served, [`hooks.example:${port} 127.0.0.2`]);
  names.set('other.example', ['127.0.0.3']);
  t.equal(await post('other.example'), 'TLS_FAILED', 'the certificate is for another name');
  t.equal(await post('127.0.0.2'), 'TLS_FAILED', 'or for an address');
  names.set('other.example', ['127.0.0.3', '127.0.0.9']);
  t.equal(await post('other.example'), 'ADDRESS_REFUSED');
  const untrusting = createPoster({ ...options, ca: undefined });
  const url = `https://hooks.example:${port}/`;
  const { error } = await untrusting.post({ url, headers: {}, body: Buffer.from('{}') });
  t.equal(error, 'TLS_FAILED', 'the certificate is not trusted');
  t.equal(served.length, 1);
  await poster.close();
  await untrusting.close();
  server.closeAllConnections();
  server.close();
});

test('only listed hosts are exempt, and only on the listed port if there is one', async (t) => {
  const allowing = (...allowedHosts: string[]) =>
    new UrlGuard({ allowedHosts, dnsServers: [names.address] });
  t.equal(await allowing('127.0.0.1').check('http://127.0.0.1:1234/', 'live'), null);
  t.equal(await allowing('Hooks.Local').check('http://hooks.local/', 'live'), null);
  t.equal(await allowing('127.0.0.1:1234').check('http://127.0.0.1:1234/', 'live'), null);
  t.equal(await allowing('[::1]:80').check('http://[::1]/', 'live'), null);
  const elsewhere = allowing('127.0.0.1:1234', 'local');
  t.equal(await elsewhere.check('http://127.0.0.1:1235/', 'sandbox'), 'scheme_not_https');
  t.equal(await elsewhere.check('https://127.0.0.1:1235/', 'sandbox'), 'address_not_public');
  t.equal(await elsewhere.check('https://127.0.0.2:1234/', 'sandbox'), 'address_not_public');
  t.equal(await elsewhere.check('https://not-local/', 'sandbox'), 'name_not_resolved');
  t.equal(
    await allowing('127.0.0.1').check('http://user:pass@127.0.0.1/', 'sandbox'),
    'credentials_in_url',
  );
});

test('a connection is exempt where the URL that it is for is', async (t) => {
  const asked: string[] = [];
  class NotingGuard extends UrlGuard {
    override isExempt(host: string, port: string): boolean {
      asked.push(`${host}:${port}`);
      return super.isExempt(host, port);
    }
  }
  const poster = createPoster({ guard: new NotingGuard({ allowedHosts: ['[::1]'] }), ...patience });
  const failed = async (url: string) =>
    (await poster.post({ url, headers: {}, body: Buffer.from('{}') })).error;
  t.equal(await failed('http://[::1]:1/'), 'CONNECTION_FAILED');
  for (const scheme of ['http', 'https']) {
    t.equal(await failed(`${scheme}://127.0.0.1/`), 'ADDRESS_REFUSED');
  }
  t.same(asked, ['[::1]:1', '127.0.0.1:80', '127.0.0.1:443']);
  await poster.close();
});

test('each failure of an endpoint is reported with its error word', async (t) => {
  const exempt = new UrlGuard({ allowedHosts: ['127.0.0.1'] });
  const poster = createPoster({ guard: exempt, ...patience });
  const brief = createPoster({ guard: exempt, ...patience, timeoutMs: 400 });
  const briefToConnect = createPoster({ guard: exempt, ...patience, connectTimeoutMs: 200 });
  const post = async (url: string, by = poster) => {
    const { statusCode, error } = await by.post({ url, headers: {}, body: Buffer.from('{}') });
    return statusCode ?? error;
  };
  const receiver = await startReceiver('hang');
  t.equal(await post(receiver.url, brief), 'TIMEOUT');
  receiver.behave((response) => response.destroy());
  t.equal(await post(receiver.url), 'CONNECTION_FAILED');
  receiver.behave((response) => response.writeHead(307, { location: receiver.url }).end());
  const before = receiver.received.length;
  t.equal(await post(receiver.url), 307);
  t.equal(receiver.received.length, before + 1, 'redirects are not followed');
  receiver.behave((response) => response.writeHead(200).write('x'.repeat(5_000_000)));
  t.equal(await post(receiver.url), 200, 'an endless body is not read to its end');
  receiver.behave((response) => response.writeHead(204).flushHeaders());
  t.equal(await post(receiver.url), 204);
  await receiver.close();
  t.equal(await post(receiver.url), 'CONNECTION_FAILED');

  // Accepts the connection but never speaks TLS, so the connect timeout ends it.
  const { port, close } = await listening(createTcpServer());
  t.equal(await post(`https://127.0.0.1:${port}/`, briefToConnect), 'CONNECT_TIMEOUT');
  for (const each of [poster, brief, briefToConnect]) await each.close();
  await close();
});

t.end();
