/**
 * Checks that the timing of a 401 does not reveal which part of a credential was wrong. Measures a
 * running installation (`RATE_LIMIT_MULTIPLIER=0 npm start`), named by its `.countersign/dev.json`:
 * `npm run timing -w e2e -- [samples]`. Not part of `npm test`, since it needs a quiet machine.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { api } from './api.js';
import { expectStatus } from './tenant.js';

const samples = Number(process.argv[2] ?? 2_000);
/** Medians that differ by more make the cases distinguishable. */
const allowedRatio = 1.1;

interface DevFile {
  base_url: string;
  internal_url: string;
  admin_key: string;
  sandbox: { client_id: string };
}

const file = new URL('../../.countersign/dev.json', import.meta.url);
const dev = JSON.parse(readFileSync(file, 'utf8')) as DevFile;
const admin = api(dev.internal_url, { 'x-admin-key': dev.admin_key });

async function issue(kind: 'api_key' | 'oauth_client') {
  const path = `/internal/v1/clients/${dev.sandbox.client_id}/credentials`;
  return expectStatus(await admin.post(path, { environment: 'sandbox', kind }), 201);
}

/** Without response parsing, so that only the response is timed. */
async function send(path: string, init: RequestInit): Promise<void> {
  const answer = await fetch(`${dev.base_url}${path}`, init);
  await answer.text();
}

async function cases(): Promise<Record<string, () => Promise<unknown>>> {
  const revoked = await issue('api_key');
  expectStatus(await admin.post(`/internal/v1/credentials/${revoked.id}/revoke`), 200);
  const client = await issue('oauth_client');
  const gone = await issue('oauth_client');
  expectStatus(await admin.post(`/internal/v1/credentials/${gone.id}/revoke`), 200);
  const read = (key: string) => () => send('/api/v1/agents', { headers: { 'x-api-key': key } });
  const exchange = (client_id: string, client_secret: string) => () =>
    send('/api/v1/oauth/token', {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id,
        client_secret,
      }),
    });
  const other = randomBytes(13).toString('hex');
  return {
    'unknown key': read(`svc_${randomBytes(24).toString('hex')}`),
    'revoked key': read(revoked.api_key),
    'unknown client': exchange(`svcoc_test_${other}`, client.client_secret),
    'wrong secret': exchange(client.oauth_client_id, gone.client_secret),
    'revoked client': exchange(gone.oauth_client_id, gone.client_secret),
  };
}

/** Interleaved, so that load on the machine affects all cases alike. */
async function measure(calls: Record<string, () => Promise<unknown>>): Promise<number[]> {
  const times = Object.values(calls).map((): number[] => []);
  for (let i = 0; i < samples; i += 1) {
    for (const [at, call] of Object.values(calls).entries()) {
      const start = performance.now();
      await call();
      times[at]?.push(performance.now() - start);
    }
  }
  return times.map((each) => each.sort((a, b) => a - b)[Math.floor(each.length / 2)] ?? 0);
}

const calls = await cases();
const medians = await measure(calls);
for (const [at, name] of Object.keys(calls).entries()) {
  process.stdout.write(`${name.padEnd(16)} median ${medians[at]?.toFixed(3)} ms\n`);
}
const groups = [medians.slice(0, 2), medians.slice(2)];
const worst = Math.max(...groups.map((group) => Math.max(...group) / Math.min(...group)));
process.stdout.write(`largest ratio of medians ${worst.toFixed(3)}, allowed ${allowedRatio}\n`);
if (worst > allowedRatio) process.exitCode = 1;
