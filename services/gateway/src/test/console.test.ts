import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { t as file, test } from 'tap';
import { readSite } from '../console/site.js';
import { World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const gateway = await world.replica({ CONSOLE: 'on' });

/** The files that the page names. */
async function named(): Promise<string[]> {
  const { text } = await gateway.call('/console/');
  return [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, name = '']) => name);
}

test('the console is served where it is switched on, and only there', async (t) => {
  const page = await gateway.call('/console/');
  t.match(page, { status: 200, text: /^<!doctype html>/ });
  t.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  const without = await world.replica();
  t.equal((await without.call('/console/')).status, 404);
  const [name] = await named();
  t.equal((await without.call(`/console/${name}`)).status, 404);
});

test('without its last slash the address leads there', async (t) => {
  const { status, headers } = await fetch(`${gateway.url}/console`, { redirect: 'manual' });
  t.equal(status, 308);
  t.equal(headers.get('location'), '/console/');
});

test('its policy leaves the page its own files and nothing else', async (t) => {
  const { headers, text } = await gateway.call('/console/');
  const policy = headers.get('content-security-policy') ?? '';
  t.match(policy, "default-src 'none'");
  t.match(policy, "frame-ancestors 'none'");
  t.notMatch(policy, /unsafe|\*|https?:|data:/);
  t.notMatch(text, /<style|style=|\son\w+=|<script(?! type="module" src=")/, 'nothing is inline');
  t.notMatch(text, /https?:/, 'nothing is elsewhere');
  t.equal(headers.get('x-frame-options'), 'DENY');
});

test('files that carry their hash are kept for ever, the page is asked for anew', async (t) => {
  const names = await named();
  t.equal(names.length, 3);
  for (const name of names) {
    t.match(name, /^\w+-[0-9A-Z]{8}\.(js|css|svg)$/);
    const { status, headers, text } = await gateway.call(`/console/${name}`);
    t.equal(status, 200);
    t.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.equal(Buffer.byteLength(text), text.length, 'held as a byte a character');
  }
  const page = await gateway.call('/console/');
  t.equal(page.headers.get('cache-control'), 'no-cache');
  const again = { 'If-None-Match': page.headers.get('etag') ?? '' };
  t.match(await gateway.call('/console/', { headers: again }), { status: 304, text: '' });
});

test('there is nothing else to be had below it', async (t) => {
  for (const path of ['index.html', '.bundled', '..%2fmain.js', 'site/../../package.json']) {
    t.equal((await gateway.call(`/console/${path}`)).status, 404, path);
  }
  t.equal((await gateway.call('/console/', { method: 'POST' })).status, 405);
});

test('a console that was never built keeps a gateway from starting', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  await t.rejects(readSite(folder), { message: /CONSOLE is on, but there is no console in / });
  await t.rejects(readSite(join(folder, 'none')), { message: /npm run build/ });
  await rm(folder, { recursive: true });
});
