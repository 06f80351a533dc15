import { randomUUID } from 'node:crypto';
import { newId } from '@countersign/kernel/id';
import { t as file, test } from 'tap';
import { newApiKey, newOauthSecret } from '../authentication/secrets.js';
import { adminKey, World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const gateway = await world.replica();
const { pool } = gateway.context;

interface Sent {
  method?: string;
  path: string;
  /** As it goes over the wire. */
  body?: string;
}

/** What can be sent as an operator's call and is none, from the plain to the hostile. */
const calls: Sent[] = [
  { path: '/clients' },
  { method: 'PATCH', path: '/clients/%00', body: '{"status":"ACTIVE"}' },
  { method: 'PATCH', path: '/clients/%00', body: 'not json' },
  { path: '/clients/a%00b/credentials' },
  { path: '/clients/%ED%A0%80/credentials' },
  { path: '/clients/%EE%80%80/credentials' },
  { path: '/clients/%zz/credentials' },
  { path: `/clients/${'x'.repeat(4_000)}/credentials` },
  { path: '/clients?cursor=%00' },
  { path: '/clients?cursor=%ED%A0%80' },
  { method: 'PATCH', path: '/%00/programs/%00', body: '{}' },
  { method: 'POST', path: '/clients', body: '{"name":"\\u0000"}' },
  { method: 'POST', path: '/clients', body: '{"name":"\\ud800"}' },
  { method: 'POST', path: '/clients', body: '{"\\u0000":1}' },
  { method: 'POST', path: '/clients', body: '{"name":1e400000}' },
  { method: 'POST', path: '/clients', body: '[1e-400000]' },
];

async function send({ method = 'GET', path, body }: Sent, key: string) {
  const requestId = randomUUID();
  const headers = {
    'X-Admin-Key': key,
    'X-Request-ID': requestId,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const url = `${gateway.internalUrl}/internal/v1${path}`;
  const { status } = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  const { rows } = await pool.query<{ status: number | null }>(
    `SELECT o.status FROM operator_audit a LEFT JOIN operator_audit_outcome o ON o.audit_id = a.id
     WHERE a.request_id = $1`,
    [requestId],
  );
  return { status, written: rows.map((row) => row.status) };
}

for (const key of [adminKey, 'a wrong key']) {
  test(`whatever is sent, one row says what became of it: ${key}`, async (t) => {
    for (const sent of calls) {
      const { status, written } = await send(sent, key);
      const what = `${sent.method ?? 'GET'} ${sent.path.slice(0, 40)} ${sent.body ?? ''}`;
      t.ok(status < 500, `${what}: ${status}`);
      t.same(written, [status], `${what} is written down`);
    }
  });
}

test('a secret that was pasted where it does not belong is not kept', async (t) => {
  const key = newApiKey('live');
  const secret = newOauthSecret();
  const inPath = { method: 'POST', path: `/credentials/${key}/revoke`, body: '{}' };
  const subjects = `/live/principals/${newId('principal')}/vi-subjects`;
  const wrong: Sent[] = [
    inPath,
    { method: 'DELETE', path: `${subjects}?issuer=${key}&subject=${secret}` },
    { method: 'POST', path: '/clients', body: JSON.stringify({ name: 'A', api_key: key }) },
    { method: 'POST', path: '/clients', body: JSON.stringify({ name: `A ${secret}`, [key]: 1 }) },
  ];
  for (const sent of wrong) await send(sent, adminKey);
  await send(inPath, 'a wrong key');
  const { rows } = await pool.query<{ kept: string }>(
    `SELECT concat_ws(' ', path, target, body) AS kept FROM operator_audit
     ORDER BY created_at DESC, id DESC LIMIT $1`,
    [wrong.length + 1],
  );
  for (const { kept } of rows) {
    t.notOk(kept.includes(key) || kept.includes(secret), kept);
    t.match(kept, `svc_live_…${key.slice(-4)}`, 'it says which one it was');
  }
});

test('who somebody is is not kept, nor where it was sent to the wrong call', async (t) => {
  const name = randomUUID();
  const body = JSON.stringify({ profile: { display_name: name, email: `${name}@example.com` } });
  const principal = `/live/principals/${newId('principal')}`;
  const ofNobody = `/live/principals/${name}@example.com`;
  const statement = JSON.stringify({ risk_tier: 'HIGH' });
  for (const sent of [
    { method: 'PUT', path: `${principal}/profile`, body },
    { method: 'PUT', path: `${principal}/profile`, body: `{"${name}":1}` },
    { method: 'DELETE', path: `${principal}/personal-data`, body },
    { method: 'PATCH', path: principal, body },
    { method: 'PATCH', path: principal, body: statement },
    { method: 'POST', path: '/live/verification-callbacks', body },
    { path: `${ofNobody}/personal-data` },
    { method: 'DELETE', path: `${ofNobody}/personal-data` },
    { method: 'PATCH', path: ofNobody, body: statement },
    { method: 'POST', path: `/${name}/verification-callbacks`, body },
  ]) {
    await send(sent, adminKey);
  }
  const { rows } = await pool.query<{ kept: string; body: unknown }>(
    `SELECT operator_audit::text AS kept, body FROM operator_audit
     ORDER BY created_at DESC, id DESC LIMIT 10`,
  );
  t.equal(rows.length, 10);
  for (const { kept } of rows) t.notOk(kept.includes(name), kept);
  const told = rows.filter(({ kept }) => kept.includes('risk_tier'));
  t.same(
    told.map((row) => row.body),
    [{ risk_tier: 'HIGH' }],
    'what was changed is',
  );
});
