import { statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'tap';
import { readJson, writeSecretJson } from './json-file.js';
import { localPorts } from './local-ports.js';
import { PortPicker } from './ports.js';
import { newKeys, runKeys } from './run-keys.js';
import { pickPorts, type ServicePlan, serviceEnvironment } from './service-environment.js';
import { locateDatabases, serviceNames } from './services.js';
import { newTestFolder } from './test/folder.js';

const picker = new PortPicker();

async function planOf(env: NodeJS.ProcessEnv): Promise<ServicePlan> {
  const serverUrl = 'postgres://u:p@127.0.0.1:1/postgres';
  return {
    env,
    databases: locateDatabases(serviceNames, { env, serverUrl }).located,
    redisUrl: 'redis://127.0.0.1:2',
    natsUrl: 'nats://127.0.0.1:3',
    keys: newKeys(),
    baseUrl: 'http://127.0.0.1:8080',
    ports: await pickPorts(picker, { port: 8080, internalPort: 8081, replicas: { gateway: 2 } }),
    stateFolder: '/state',
  };
}

test('a service is told its own databases and ports, and no secrets of others', async (t) => {
  const plan = await planOf({
    STEP_UP_WINDOW_SECONDS: '60',
    REDIS_URL: 'redis://somewhere-else',
    POSTGRES_URL: 'postgres://root:secret@h/postgres',
    LEDGER_DATABASE_URL_LIVE: 'postgres://ledger:secret@h/ledger',
    PORT: '9',
    ADMIN_KEY: 'given',
    npm_config_registry: 'x',
  });
  const ledger = serviceEnvironment('ledger', plan);
  t.match(ledger, {
    DATABASE_URL_LIVE: 'postgres://ledger:secret@h/ledger',
    DATABASE_URL_SANDBOX: 'postgres://u:p@127.0.0.1:1/countersign_ledger_sandbox',
    STEP_UP_WINDOW_SECONDS: '60',
    MALLOC_ARENA_MAX: '2',
    REDIS_URL: 'redis://127.0.0.1:2',
    NATS_URL: 'nats://127.0.0.1:3',
    BASE_URL: 'http://127.0.0.1:8080',
    GRPC_PORT: String(plan.ports.replicas.ledger[0]?.grpc),
    HEALTH_PORT: String(plan.ports.replicas.ledger[0]?.health),
    IDENTITY_ADDRESS: `127.0.0.1:${plan.ports.replicas.identity[0]?.grpc}`,
    SECRETS_KEY: plan.keys.secretsKey,
  });
  const hidden = ['POSTGRES_URL', 'LEDGER_DATABASE_URL_LIVE', 'PORT', 'ADMIN_KEY', 'DATABASE_URL'];
  for (const name of [...hidden, 'npm_config_registry']) t.notHas(ledger, name);
  t.has(serviceEnvironment('gateway', plan), {
    DATABASE_URL: 'postgres://u:p@127.0.0.1:1/countersign_gateway',
    PORT: '8080',
    INTERNAL_PORT: '8081',
    ADMIN_KEY: plan.keys.adminKey,
    FAIL_SAFE_JOURNAL: '/state/fail-safe.jsonl',
  });
  const gateway = serviceEnvironment('gateway', plan);
  for (const told of [gateway, ledger]) {
    const { GRPC_HOST, HEALTH_HOST, INTERNAL_HOST } = told;
    t.same([GRPC_HOST, HEALTH_HOST, INTERNAL_HOST], Array(3).fill('127.0.0.1'), 'for this machine');
  }
  t.notHas(gateway, 'HOST', 'the public port is for whoever can reach it');
  t.match(serviceEnvironment('gateway', plan, 1), {
    PORT: String(plan.ports.gateways[1]?.port),
    FAIL_SAFE_JOURNAL: '/state/fail-safe.jsonl-2',
  });
});

test('a port that is taken, or is none, says how to choose another', async (t) => {
  const server = createServer().listen(0);
  t.teardown(() => server.close());
  const taken = String((server.address() as { port: number }).port);
  await t.rejects(localPorts(picker, { PORT: taken }), {
    message: `Port ${taken} is taken by another program.`,
    advice: /PORT=\d+ npm start/,
  });
  await t.rejects(localPorts(picker, { PORT: '0', INTERNAL_PORT: 'http' }), {
    message: 'INTERNAL_PORT=http is not a port.',
  });
  const free = await localPorts(picker, { PORT: '0', INTERNAL_PORT: '0' });
  const processes = Object.values(free.replicas).flat();
  const all = [free.port, free.internalPort, ...processes.map(({ grpc }) => grpc)];
  t.equal(new Set([...all, ...processes.map(({ health }) => health)]).size, 14);
});

test('keys are made once, kept from others, and given way to by the environment', async (t) => {
  const folder = newTestFolder('keys');
  const first = runKeys(folder, {});
  t.same(runKeys(folder, {}), first);
  t.equal(Buffer.from(first.secretsKey, 'base64').length, 32);
  t.equal(statSync(join(folder, 'keys.json')).mode & 0o777, 0o600);
  t.same(runKeys(folder, { ADMIN_KEY: 'mine' }), { ...first, adminKey: 'mine' });
});

test('a file with secrets is replaced whole, and only its owner may read it', async (t) => {
  const file = join(newTestFolder('dev'), 'dev.json');
  t.equal(readJson(file), null);
  writeFileSync(file, 'older', { mode: 0o644 });
  writeSecretJson(file, { base_url: 'http://127.0.0.1:8080' });
  t.same(readJson(file), { base_url: 'http://127.0.0.1:8080' });
  t.equal(statSync(file).mode & 0o777, 0o600);
});
