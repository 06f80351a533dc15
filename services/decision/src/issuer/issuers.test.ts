import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '@countersign/runtime/log';
import { UrlGuard } from '@countersign/runtime/outgoing/url-guard';
import { newChainKey } from '@countersign/runtime/testing/sd-jwt';
import { test } from 'tap';
import { loadConfig } from '../config.js';
import { createKeyFetcher, openGetter } from './fetch-keys.js';
import { type KeySet, readKeySet } from './key-set.js';
import { RemoteKeys } from './remote-keys.js';
import { sandboxIssuer } from './sandbox-issuer.js';
import { readIssuers } from './settings.js';
import { TrustedIssuers } from './trusted-issuers.js';

const log = createLog({ service: 'decision', level: 'silent' });
const key = newChainKey('key-1');
const jwks = { keys: [{ ...key.jwk, kid: 'key-1' }] };
const issuer = {
  iss: 'https://issuer.example',
  vct: ['urn:card'],
  jwks,
  allowed_algs: ['ES256'],
  subject_binding: 'explicit',
};

function problemOf(change: object): string {
  try {
    readIssuers([{ ...issuer, ...change }]);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test('the error names the issuer and what is wrong with it', (t) => {
  t.equal(problemOf({}), '');
  t.match(problemOf({ iss: '' }), 'issuer 0: iss must be a string');
  t.equal(problemOf({ iss: 'i'.repeat(255) }), '');
  t.match(problemOf({ iss: 'i'.repeat(256) }), 'issuer 0: iss must be a string');
  for (const vct of [[], 'urn:card', ['urn:card', 5]]) {
    t.match(problemOf({ vct }), 'https://issuer.example: vct must be a list');
  }
  for (const allowed_algs of [['none'], ['ES256', 'none'], 'ES256']) {
    t.match(problemOf({ allowed_algs }), 'allowed_algs must be');
  }
  t.equal(problemOf({ subject_binding: 'tofu' }), '');
  t.match(problemOf({ subject_binding: undefined }), 'explicit or tofu');
  t.match(problemOf({ jwks_uri: 'https://issuer.example/keys' }), 'either jwks or jwks_uri');
  const from = (jwks_uri: string) => problemOf({ jwks: undefined, jwks_uri });
  t.equal(from('https://issuer.example/keys'), '');
  t.match(from('http://issuer.example/keys'), 'https URL');
  t.match(from('issuer.example/keys'), 'https URL');
  t.match(problemOf({ jwks: { keys: [] } }), 'no P-256 key');
  t.match(problemOf({ jwks: { keys: [{ ...key.jwk, d: 'secret', kid: 'a' }] } }), 'private keys');
  t.match(problemOf({ jwks: { keys: [{ ...key.jwk, x: key.jwk.y, kid: 'a' }] } }), 'not a point');
  t.match(
    problemOf({ jwks: { keys: [...jwks.keys, ...jwks.keys] } }),
    'two keys have the kid key-1',
  );
  t.match(problemOf({ jwk: {} }), 'unknown member jwk');
  t.throws(() => readIssuers([issuer, issuer]), /must not contain an issuer twice/);
  t.throws(() => readIssuers({}), /must be a JSON list/);
  t.throws(() => readIssuers([null]), /issuer 0 must be an object/);
  const many = Array.from({ length: 101 }, (_, n) => ({ ...issuer, iss: `issuer ${n}` }));
  t.equal(readIssuers(many.slice(1)).length, 100);
  t.throws(() => readIssuers(many), /at most 100 issuers/);
  t.end();
});

test('of a key set its P-256 keys with a name are used, of a hundred at most', (t) => {
  const x = 'KjMmxIwo7c9nnlNzqXX84m5rQkwuNXokEGKzfz6ic8UwOmtiCW6fKdyoXWlTveER';
  const y = 'lG17y9LJqyK2dFzt7odrFKNv94y8Lg_sN7wU3CYiU1ZfZQTjGoscm1rrJsXhl9_2';
  const others = [
    { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'rsa' },
    { kty: 'EC', crv: 'P-384', x, y, kid: 'p-384' },
    ...[undefined, '', 1].map((kid) => ({ ...key.jwk, kid })),
  ];
  t.strictSame([...readKeySet({ keys: [...others, ...jwks.keys] }).keys()], ['key-1']);
  const many = Array.from({ length: 101 }, (_, n) => ({ ...key.jwk, kid: `key-${n}` }));
  t.equal(readKeySet({ keys: many.slice(1) }).size, 100);
  t.throws(() => readKeySet({ keys: many }), /at most 100 keys/);
  t.end();
});

test('the test issuer of sandbox cannot be configured for live', (t) => {
  const start = (name: string, change: object): void => {
    loadConfig({
      GRPC_PORT: '0',
      DATABASE_URL_LIVE: 'postgres://x',
      DATABASE_URL_SANDBOX: 'postgres://x',
      NATS_URL: 'x',
      REDIS_URL: 'x',
      IDENTITY_ADDRESS: 'x:1',
      LEDGER_ADDRESS: 'x:1',
      BASE_URL: 'https://api.example',
      SECRETS_KEY: Buffer.alloc(32).toString('base64'),
      [name]: JSON.stringify([{ ...issuer, ...change }]),
    });
  };
  const disguised = { ...sandboxIssuer.publicJwk, kid: 'another-name' };
  const byKey = { jwks: { keys: [...jwks.keys, disguised] } };
  t.throws(() => start('VI_TRUSTED_ISSUERS_LIVE', byKey), /whose private key is public/);
  const byName = { iss: sandboxIssuer.iss };
  t.throws(() => start('VI_TRUSTED_ISSUERS_LIVE', byName), /whose private key is public/);
  t.throws(() => start('VI_TRUSTED_ISSUERS_SANDBOX', byName), /always trusted there/);
  t.doesNotThrow(() => start('VI_TRUSTED_ISSUERS_LIVE', {}));
  t.end();
});

test('each environment trusts its own issuers, and sandbox the test issuer as well', async (t) => {
  let published: object[] = jwks.keys;
  const asked: string[] = [];
  const fetch = async (uri: string): Promise<KeySet> => {
    asked.push(uri);
    return readKeySet({ keys: published });
  };
  const remote = { iss: 'https://remote.example', keys: { uri: 'https://remote.example/keys' } };
  const configured = [
    ...readIssuers([issuer]),
    { ...remote, vct: ['urn:card'], subjectBinding: 'tofu' as const },
  ];
  let now = 0;
  const parts = { fetch, clock: () => now, log };
  const live = new TrustedIssuers(configured, { ...parts, environment: 'live' });
  const sandbox = new TrustedIssuers([], { ...parts, environment: 'sandbox' });
  const named = { iss: issuer.iss, kid: 'key-1' };
  t.match(await live.find(named), {
    issuer: { state: 'found', jwk: key.jwk },
    subjectBinding: 'explicit',
  });
  t.match(await live.find({ ...named, kid: 'key-2' }), { issuer: { state: 'untrusted' } });
  t.match(await sandbox.find(named), { issuer: { state: 'untrusted' }, subjectBinding: null });
  const { iss, kid, vct } = sandboxIssuer;
  t.match(await sandbox.find({ iss, kid }), {
    issuer: { state: 'found', vct: [vct] },
    subjectBinding: 'tofu',
  });
  t.match(await live.find({ iss, kid }), { issuer: { state: 'untrusted' } });
  t.match(await live.find({ iss: remote.iss, kid: 'key-1' }), {
    issuer: { state: 'found', jwk: key.jwk, vct: ['urn:card'] },
    subjectBinding: 'tofu',
  });
  t.strictSame(asked, [remote.keys.uri]);
  now += 60_000;
  published = [...jwks.keys, { ...sandboxIssuer.publicJwk, kid: 'a' }];
  const disguised = { iss: remote.iss, kid: 'a' };
  t.match(
    await live.find(disguised),
    { issuer: { state: 'unavailable' } },
    'not even under another name',
  );
});

test('stale keys and unknown kids are refreshed; stale keys survive a failure', async (t) => {
  let now = 0;
  let asked = 0;
  let answer: () => Promise<KeySet> = async () => readKeySet(jwks);
  const fetch = async (): Promise<KeySet> => {
    asked += 1;
    return answer();
  };
  const keys = new RemoteKeys({ uri: 'https://a.example', fetch, clock: () => now, log });
  const found = await Promise.all([keys.find('key-1'), keys.find('key-1'), keys.find('other')]);
  t.match(found, [key.jwk, key.jwk, 'unknown']);
  t.equal(asked, 1, 'concurrent reads share one fetch');
  now += 59_000;
  t.equal(await keys.find('other'), 'unknown');
  t.equal(asked, 1, 'an unknown kid triggers at most one fetch a minute');
  now += 1_000;
  t.equal(await keys.find('other'), 'unknown');
  t.equal(asked, 2);
  now += 3_600_001;
  answer = async () => {
    throw new Error('away');
  };
  t.match(await keys.find('key-1'), key.jwk, 'the last good keys are kept');
  t.equal(await keys.find('other'), 'unavailable');
  t.equal(asked, 3, 'no further attempt within a minute');
  now += 23 * 3_600_000;
  t.equal(await keys.find('key-1'), 'unavailable', 'but for at most a day');
  now += 60_000;
  answer = async () => readKeySet({ keys: [] });
  t.equal(
    await keys.find('key-1'),
    'unknown',
    'a key that is no longer published is no longer trusted',
  );
});

test('a clock that was set back does not keep keys from being fetched for as long', async (t) => {
  let now = 2 * 86_400_000;
  let published = jwks.keys;
  const fetch = async (): Promise<KeySet> => readKeySet({ keys: published });
  const keys = new RemoteKeys({ uri: 'https://a.example', fetch, clock: () => now, log });
  t.match(await keys.find('key-1'), key.jwk);
  now -= 86_400_000;
  published = [{ ...key.jwk, kid: 'key-2' }];
  t.match(await keys.find('key-2'), key.jwk, 'a new key is found');
  t.equal(await keys.find('key-1'), 'unknown', 'and one that was removed is not trusted');
});

test('a hanging issuer delays nobody whose key is cached', async (t) => {
  let now = 0;
  let asked = 0;
  let answer = (): Promise<KeySet> => Promise.resolve(readKeySet(jwks));
  const fetch = (): Promise<KeySet> => {
    asked += 1;
    return answer();
  };
  const keys = new RemoteKeys({ uri: 'https://a.example', fetch, clock: () => now, log });
  await keys.find('key-1');
  now += 3_600_000;
  t.match(await keys.find('key-1'), key.jwk);
  t.equal(asked, 1, 'keys are fresh for an hour');
  let letGo: (keys: KeySet) => void = () => {};
  answer = () =>
    new Promise((resolve) => {
      letGo = resolve;
    });
  now += 1;
  t.match(await keys.find('key-1'), key.jwk, 'stale keys are used at once');
  now += 59_999;
  t.match(await keys.find('key-1'), key.jwk);
  t.equal(asked, 2, 'only one fetch at a time');
  const other = keys.find('other');
  letGo(readKeySet({ keys: [{ ...key.jwk, kid: 'other' }] }));
  t.match(await other, key.jwk, 'an unknown key is waited for');
  t.equal(await keys.find('key-1'), 'unknown', 'the fetched set replaces the old one');
  t.equal(asked, 2);
});

test('keys are fetched from public addresses only, up to a maximum size', async (t) => {
  const bodies: Record<string, string> = {
    '/keys': JSON.stringify(jwks),
    '/large': `{"keys":[]${' '.repeat(300 * 1024)}}`,
    '/text': 'no JSON',
  };
  const server = createServer(({ url = '' }, response) => {
    response.statusCode = url in bodies ? 200 : 404;
    response.end(bodies[url] ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = (allowedHosts: string[]) => {
    const fetcher = createKeyFetcher('live', new UrlGuard({ allowedHosts }));
    t.teardown(() => fetcher.close());
    return fetcher;
  };
  t.teardown(() => server.close());
  const { fetch } = open([host]);
  t.match((await fetch(`http://${host}/keys`)).get('key-1'), key.jwk);
  await t.rejects(fetch(`http://${host}/large`), /more than 262144 bytes/);
  await t.rejects(fetch(`http://${host}/none`), /answered 404/);
  await t.rejects(fetch(`http://${host}/text`));
  await t.rejects(open([]).fetch(`https://${host}/keys`), /port_not_allowed|address_not_public/);
});

test('a client that could not be loaded is loaded again for the next fetch', async (t) => {
  const server = createServer((_, response) => response.end(JSON.stringify(jwks)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  let loads = 0;
  const fetcher = createKeyFetcher('live', new UrlGuard({ allowedHosts: [host] }), (guard) => {
    loads += 1;
    return loads === 1 ? Promise.reject(new Error('too many open files')) : openGetter(guard);
  });
  t.teardown(() => fetcher.close());
  await t.rejects(fetcher.fetch(`http://${host}/`), /too many open files/);
  t.match((await fetcher.fetch(`http://${host}/`)).get('key-1'), key.jwk);
  t.match((await fetcher.fetch(`http://${host}/`)).get('key-1'), key.jwk);
  t.equal(loads, 2, 'one that was loaded is kept');
});
