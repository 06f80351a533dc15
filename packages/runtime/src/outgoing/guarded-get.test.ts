import { createServer } from 'node:http';
import { type Test, test } from 'tap';
import { listening } from '../testing/listening.js';
import { createGuardedGet } from './guarded-get.js';
import { UrlGuard } from './url-guard.js';

const maxBytes = 16;
const silent = '/silent';

/** A server on this machine, and what it was asked for. */
async function newServer(t: Test) {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    if (url === silent) return;
    if (url === '/moved') response.writeHead(302, { Location: '/short' });
    response.end('x'.repeat(url === '/long' ? maxBytes + 1 : maxBytes));
  });
  const { port, close } = await listening(server);
  t.teardown(close);
  return { host: `127.0.0.1:${port}`, asked };
}

function getter(t: Test, allowedHosts: string[], timeoutMs = 30_000) {
  const guard = new UrlGuard({ allowedHosts });
  const { get, close } = createGuardedGet({ guard, timeoutMs, maxBytes });
  t.teardown(close);
  return get;
}

test('nothing that is not at a public address is asked', async (t) => {
  const { host, asked } = await newServer(t);
  const get = getter(t, []);
  await t.rejects(get(`http://${host}/short`), { name: 'AddressRefused' });
  t.same(asked, []);
});

test('a document of bounded length is read, where it is and in time', async (t) => {
  const { host, asked } = await newServer(t);
  const get = getter(t, [host]);
  t.equal(await get(`http://${host}/short`), 'x'.repeat(maxBytes));
  await t.rejects(get(`http://${host}/long`), { message: 'it answered more than 16 bytes' });
  await t.rejects(get(`http://${host}/moved`), { message: 'it answered 302' });
  const impatient = getter(t, [host], 1_000);
  await t.rejects(impatient(`http://${host}${silent}`), { name: 'TimeoutError' });
  t.same(asked, ['/short', '/long', '/moved', silent]);
});
