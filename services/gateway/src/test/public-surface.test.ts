import { freshKeyPair } from '@countersign/runtime/fresh-key-pair';
import { t as file, test } from 'tap';
import { routes } from '../routes.js';
import * as samples from './samples.js';
import { away } from './stand-ins.js';
import { Surface } from './surface.js';

const surface = await Surface.start();
file.teardown(() => surface.close());
const { gateway, services, world, options } = surface;

const jwk = freshKeyPair('P-256').publicKey.export({ format: 'jwk' });
const signing = {
  kid: 'one',
  status: 'ACTIVE',
  jwkJson: JSON.stringify(jwk),
  notBefore: samples.at,
};

test('the published keys, of which a caller may keep a copy', async (t) => {
  services.on('ListSigningKeys', () => ({ keys: [signing] }));
  const jwks = await surface.call(t, '/.well-known/jwks.json', { is: [200, 'getJwks'] });
  t.equal(jwks.json.keys.length, 4, 'one decision key and one token key in each environment');
  t.equal(jwks.headers.get('cache-control'), 'public, max-age=300');
  t.match(jwks.headers.get('etag'), /^"[0-9a-f]{32}"$/);
  t.equal((await gateway.call('/.well-known/jwks.json')).text, jwks.text);
  const headers = { 'If-None-Match': jwks.headers.get('etag') ?? '' };
  const held = headers['If-None-Match'];
  for (const [tags, status] of [
    [held, 304],
    [`W/${held}`, 304],
    [`"another", W/${held}`, 304],
    ['"another"', 200],
  ] as const) {
    const asked = { headers: { 'If-None-Match': tags } };
    const answer = await gateway.call('/.well-known/jwks.json', asked);
    t.match(answer, { status, text: status === 304 ? '' : jwks.text }, tags);
    t.equal(answer.headers.has('content-type'), status === 200, tags);
  }
});

test('a rotation is seen at once, and an outage hides the keys of the sandbox alone', async (t) => {
  services.on('ListSigningKeys', () => ({ keys: [signing] }));
  const before = await gateway.call('/.well-known/jwks.json');
  const headers = { 'If-None-Match': before.headers.get('etag') ?? '' };
  services.on('RotateSigningKey', () => ({ activeKid: 'one', nextKid: 'two' }));
  services.on('ListSigningKeys', () => ({
    keys: [signing, { ...signing, kid: 'two', status: 'NEXT' }],
  }));
  const rotated = await gateway.operate('POST', '/signing-keys/rotate', { environment: 'live' });
  t.same(rotated.json, { active_kid: 'one', next_kid: 'two' });
  const renewed = await gateway.call('/.well-known/jwks.json', { headers });
  t.equal(renewed.json.keys.length, before.json.keys.length + 1);
  const { json: trail } = await gateway.operate('GET', '/audit-events?limit=20');
  const audited = trail.data.find(
    ({ action }: { action: string }) => action === 'signing_key.rotate',
  );
  t.match(audited, { environment: 'live', status: 200 });
  services.on('ListSigningKeys', () => {
    throw away('decision');
  });
  t.equal((await gateway.call('/.well-known/jwks.json')).status, 200);
  await surface.call(t, '/public-keys', { is: [200, 'getPublicKeys'] });
  services.on('ListSigningKeys', (_, { environment }) => {
    if (environment === 'sandbox') throw away('the sandbox');
    return { keys: [signing] };
  });
  const started = await world.replica(options, { routes });
  for (const path of ['/api/v1/.well-known/jwks.json', '/api/v1/public-keys']) {
    const { status, headers } = await started.call(path);
    t.equal(status, 200, path);
    t.equal(headers.get('cache-control'), 'no-store', 'a set without the sandbox is not kept');
  }
});

test('what is public beside keys: health, catalogs, the API about itself', async (t) => {
  await surface.call(t, '/webhooks/events', { is: [200, 'listWebhookEvents'] });
  await surface.call(t, '/reason-codes', { is: [200, 'listReasonCodes'] });
  await surface.call(t, '/health/live', { is: [200, 'getLiveness'] });
  await surface.call(t, '/health/ready', { is: [200, 'getReadiness'] });
  const health = await surface.call(t, '/health', { is: [200, 'getHealth'] });
  t.equal(health.json.status, 'ok', health.text);
  const lame = await world.replica({ ...options, NOTIFIER_ADDRESS: '127.0.0.1:1' }, { routes });
  const degraded = await lame.call('/api/v1/health');
  t.equal(degraded.status, 200);
  t.match(degraded.json, { status: 'degraded', checks: { database: 'ok', decision: 'ok' } });
  t.not(degraded.json.checks.notifier, 'ok');

  const document = await surface.call(t, '/openapi.json', { is: [200, 'getOpenApi'] });
  t.equal(document.json.servers[0].url, 'https://api.test');
  const docs = await gateway.call('/api/v1/docs');
  t.match(docs.headers.get('content-type'), /^text\/html/);
  t.match(docs.headers.get('content-security-policy'), /style-src 'sha256-/);
  t.match(docs.text, /id="errors-VALIDATION_ERROR"/);
});

test('every operation of these chapters was called', async (t) => {
  t.same(surface.uncalled('Public'), ['getJwksAlias', 'getDocs']);
});
