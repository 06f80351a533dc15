import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { DevFileKeeper, type RunFacts } from './dev-file-keeper.js';
import { readJson } from './json-file.js';
import type { Supervisor } from './supervisor.js';
import { newTestFolder } from './test/folder.js';

const supervisor = { get: () => ({ pid: 7 }) } as unknown as Supervisor;
const server = { url: 'redis://127.0.0.1:1', process: null };
const facts = {
  plan: { baseUrl: 'http://127.0.0.1:1', databases: [], keys: { adminKey: 'admin' } },
  internalUrl: 'http://127.0.0.1:2',
  seed: { live: {}, sandbox: {} },
  backing: { postgres: null, redis: server, nats: server },
} as unknown as RunFacts;

test('a run is described from the moment it is ready until it stops', (t) => {
  const file = join(newTestFolder('dev'), 'dev.json');
  writeFileSync(file, 'of a run that was killed');
  const keeper = new DevFileKeeper(file);
  keeper.write(supervisor);
  t.notOk(existsSync(file), 'a process that starts does not make it ready');
  keeper.open(facts, supervisor);
  t.match(readJson(file), { base_url: 'http://127.0.0.1:1', processes: { ledger: 7 } });
  keeper.close();
  keeper.write(supervisor);
  t.notOk(existsSync(file));
  t.end();
});

test('a run that was asked to stop before it was ready is not described', (t) => {
  const file = join(newTestFolder('dev'), 'dev.json');
  const keeper = new DevFileKeeper(file);
  keeper.close();
  keeper.open(facts, supervisor);
  t.notOk(existsSync(file));
  t.end();
});
