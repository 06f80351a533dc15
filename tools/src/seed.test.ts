import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import type { EnvironmentSeed } from './demo-client.js';
import { writeSecretJson } from './json-file.js';
import { ensureSeed } from './seed.js';
import { newTestFolder } from './test/folder.js';

function seedOf(environment: string): EnvironmentSeed {
  const [client_id, program_id, agent_id, mandate_id] = ['client', 'program', 'agent', 'mandate'];
  const oauth = { oauth_client_id: 'oauth', oauth_client_secret: 'secret' };
  const principal_id = `principal-${environment}`;
  return { client_id, program_id, agent_id, mandate_id, ...oauth, principal_id, api_key: 'key' };
}

const kept = { live: seedOf('live'), sandbox: seedOf('sandbox') };

/** What comes of a seed of whose live part an installation says these statuses, then the last. */
async function seededWhere(t: Test, ...statuses: number[]) {
  let created = 0;
  const gateway = createServer(({ method, url }, response) => {
    if (method === 'POST') created += 1;
    const answer = (): number => (statuses.length > 1 && statuses.shift()) || Number(statuses[0]);
    const status = url?.includes('principal-live') ? answer() : 200;
    response.writeHead(method === 'POST' ? 418 : status).end();
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  t.teardown(() => gateway.close());
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const file = join(newTestFolder('seed'), 'seed.json');
  writeSecretJson(file, kept);
  const target = { baseUrl: url, internalUrl: url, adminKey: 'admin' };
  const outcome = await ensureSeed(file, target, 0).catch((error: unknown) => error);
  t.same(JSON.parse(readFileSync(file, 'utf8')), kept, 'the secrets are still there');
  return { outcome, created };
}

test('a seed that is known is kept, though it takes an answer more', async (t) => {
  t.same(await seededWhere(t, 200), { outcome: kept, created: 0 });
  t.same(await seededWhere(t, 503, 429, 500, 200), { outcome: kept, created: 0 });
});

test('a seed that the installation does not know is made anew', async (t) => {
  for (const status of [401, 403, 404]) {
    const { outcome, created } = await seededWhere(t, status);
    t.match(outcome, { name: 'Failure', message: /POST .* answered 418/ });
    t.equal(created, 1, `after ${status}`);
  }
});

test('where nobody says whether a seed is known, none is made', async (t) => {
  for (const status of [429, 500, 503]) {
    const { outcome, created } = await seededWhere(t, status);
    t.match(outcome, { name: 'Failure', message: new RegExp(`answered ${status}`) });
    t.equal(created, 0);
  }
});
