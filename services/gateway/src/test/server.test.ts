import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { BehindError } from '@countersign/runtime/database/migrations';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createTestDatabase, testUrl, until } from '@countersign/runtime/testing';
import { Wire } from '@countersign/runtime/testing/wire';
import { t as file, test } from 'tap';
import { createContext } from '../context.js';
import { routes } from '../routes.js';
import { startServer } from '../server.js';
import { adminKey, World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const here = { HOST: '127.0.0.1', INTERNAL_HOST: '127.0.0.1', HEALTH_HOST: '127.0.0.1' };
const free = { PORT: '0', INTERNAL_PORT: '0', HEALTH_PORT: '0', ...here };

async function start(given: Record<string, string> = {}) {
  const lifecycle = new Lifecycle(world.log);
  const config = world.config({ ...free, RATE_LIMIT_MULTIPLIER: '0', ...given });
  const context = await createContext(config, { log: world.log, lifecycle });
  const ports = await startServer(context);
  return { context, lifecycle, ...ports, url: `http://127.0.0.1:${ports.port}` };
}

const scopes: ReadonlyArray<readonly [prefix: string, scope: string]> = [
  ['authorize', 'authorize'],
  ['agents', 'agents'],
  ['mandates', 'mandates'],
  ['webhooks', 'webhooks'],
  ['thresholds', 'thresholds'],
  ['principals', 'principals'],
  ['onboard', 'principals'],
  ['programs', 'principals'],
  ['outcomes', 'outcomes'],
  ['crypto', 'outcomes'],
  ['cases', 'cases'],
  ['fraud-patterns', 'cases'],
];

test('every row has the scope of the longest prefix of its path', (t) => {
  for (const { method, path, plane, scope } of routes) {
    const [, segment = ''] = path.split('/api/v1/');
    const [prefix] = segment.split('/');
    const expected = scopes.find(([name]) => name === prefix)?.[1] ?? null;
    if (plane === 'public' || plane === 'token') t.equal(scope, null, `${method} ${path}`);
    else t.equal(scope, expected, `${method} ${path}`);
  }
  t.end();
});

test('no row that needs a credential answers without one', async (t) => {
  const { url, lifecycle } = await start();
  const guarded = routes.filter(({ plane }) => plane !== 'public' && plane !== 'token');
  t.ok(guarded.length > 30);
  for (const { method, path } of guarded) {
    const target = url + path.replace(/:\w+/g, 'x');
    const response = await fetch(target, { method });
    const { error } = (await response.json()) as { error: { code: string } };
    t.equal(response.status, 401, `${method} ${path}`);
    t.equal(error.code, 'INVALID_API_KEY');
  }
  await lifecycle.shutdown();
});

test('ready follows the database alone; Redis and the services only degrade', async (t) => {
  const redis = await Wire.to(testUrl('redis'));
  const database = await Wire.to(world.databaseUrl);
  const { healthPort, context, lifecycle } = await start({
    REDIS_URL: redis.url,
    DATABASE_URL: database.url,
    LEDGER_ADDRESS: '127.0.0.1:1',
  });
  const status = async (path: string) =>
    (await fetch(`http://127.0.0.1:${healthPort}${path}`)).status;
  t.equal(await status('/livez'), 200);
  t.equal(await status('/readyz'), 200, 'although a service is away');
  redis.cut();
  await until(() => context.redis.status !== 'ready');
  t.equal(await status('/readyz'), 200);
  database.cut();
  t.equal(await status('/readyz'), 503);
  t.equal(await status('/livez'), 200);
  database.mend();
  await until(async () => (await status('/readyz')) === 200, { what: 'ready again' });
  const metrics = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
  t.match(metrics, /countersign_round_trips_total/);
  await lifecycle.shutdown();
  redis.close();
  database.close();
});

test('without an admin key there is no operator listener', async (t) => {
  const { internalPort, lifecycle } = await start({ ADMIN_KEY: '' });
  t.equal(internalPort, null);
  await lifecycle.shutdown();
});

test('it refuses a database that lacks a migration', async (t) => {
  const database = await createTestDatabase('gateway');
  const behind = new Lifecycle(world.log);
  const config = world.config({ ...free, DATABASE_URL: database.url });
  const context = await createContext(config, { log: world.log, lifecycle: behind });
  await context.pool.query(`DELETE FROM _prisma_migrations WHERE migration_name LIKE '%guards'`);
  await t.rejects(createContext(config, { log: world.log, lifecycle: behind }), BehindError);
  await behind.shutdown();
  await database.drop();
});

/** The service as its own process, and everything it wrote so far. */
async function startProcess() {
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  const address = `127.0.0.1:${world.identity.port}`;
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      ...free,
      LOG_LEVEL: 'debug',
      DATABASE_URL: world.databaseUrl,
      REDIS_URL: testUrl('redis'),
      NAMESPACE: world.config().namespace,
      REDIS_TIMEOUT_MS: '5000',
      IDENTITY_ADDRESS: address,
      DECISION_ADDRESS: address,
      LEDGER_ADDRESS: address,
      NOTIFIER_ADDRESS: address,
      SETTLEMENT_ADDRESS: address,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      ADMIN_KEY: adminKey,
      FAIL_SAFE_JOURNAL: world.config().failSafeJournal,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const lines = () =>
    output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const listening = () => {
    if (child.exitCode !== null) throw new Error(`ended before it listened: ${output}`);
    return lines().find(({ internalPort }) => internalPort !== undefined);
  };
  const ports = await until(listening, {
    timeoutMs: 90_000,
    what: 'the process to listen',
  });
  return { child, lines, ports, output: () => output };
}

/** One caller of each kind speaks; returns every secret that went over the wire. */
async function useEverySecret(ports: { port: number; internalPort: number }) {
  const operate = async (path: string, body: object) => {
    const headers = { 'X-Admin-Key': adminKey, 'Content-Type': 'application/json' };
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    const url = `http://127.0.0.1:${ports.internalPort}/internal/v1${path}`;
    return (await fetch(url, sent)).json() as Promise<Record<string, string>>;
  };
  const client = await operate('/clients', { name: 'Logged' });
  const path = `/clients/${client.id}/credentials`;
  const key = await operate(path, { environment: 'sandbox', kind: 'api_key' });
  const oauth = await operate(path, { environment: 'sandbox', kind: 'oauth_client' });
  const base = `http://127.0.0.1:${ports.port}/api/v1`;
  const { api_key: apiKey = '' } = key;
  const { client_secret: secret = '', oauth_client_id: id = '' } = oauth;
  await fetch(`${base}/agents?cursor=private`, { headers: { 'X-API-Key': apiKey } });
  const grant = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const body = new URLSearchParams(grant);
  const exchanged = await fetch(`${base}/oauth/token`, { method: 'POST', body });
  const { access_token: token = '' } = (await exchanged.json()) as Record<string, string>;
  await fetch(`${base}/agents`, { headers: { Authorization: `Bearer ${token}` } });
  return {
    client,
    key,
    secrets: [apiKey, apiKey.slice(9, 40), secret, token, adminKey, 'private'],
  };
}

test('the process: a line a request without a secret, and a clean end', async (t) => {
  const { child, lines, ports, output } = await startProcess();
  const { client, key, secrets } = await useEverySecret(ports);
  await until(() => lines().filter(({ msg }) => msg === 'request').length >= 6);
  t.match(
    lines().find((entry) => entry.path === '/api/v1/agents'),
    {
      requestId: String,
      method: 'GET',
      status: Number,
      ms: Number,
      ip: String,
      clientId: client.id,
      credentialId: key.id,
      environment: 'sandbox',
    },
  );
  for (const secret of secrets) {
    t.ok(secret.length >= 7);
    t.notOk(output().includes(secret), 'no secret and no query in the log');
  }
  const started = performance.now();
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  t.equal(code, 0);
  t.ok(performance.now() - started < 10_000);
});
