import { until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import { t as file, test } from 'tap';
import { maxPrincipalKeys } from '../authentication/issue-credential.js';
import { World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const first = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' });
const second = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' });
const { pool } = first.context;

/** A Client with two Principals, the first of which has some keys. */
async function clientWith(keys: number) {
  const client = await first.client(world.identity, 2);
  const [principal = '', sibling = ''] = client.principals;
  await pool.query(
    `INSERT INTO credential
       (id, kind, client_id, environment, principal_id, secret_hash, hint, created_at)
     SELECT 'acr_' || $2 || n, 'principal_key', $1, 'sandbox', $2, $2 || n, '', now()
     FROM generate_series(1, $3::int) n`,
    [client.id, principal, keys],
  );
  const { api_key: key } = await first.key(client.id);
  const mint = (of = principal, replica = first) =>
    replica.call(`/api/v1/principals/${of}/sandbox-key`, { method: 'POST', key });
  return { principal, sibling, mint };
}

test('a Principal has a bounded number of keys that are not expired or revoked', async (t) => {
  const { principal, sibling, mint } = await clientWith(maxPrincipalKeys - 1);
  t.equal((await mint()).status, 201);
  await pool.query(
    `UPDATE credential SET expires_at = now() + interval '1 day', version = version + 1
     WHERE id IN (SELECT id FROM credential WHERE principal_id = $1 LIMIT 1)`,
    [principal],
  );
  const refused = await mint();
  t.equal(refused.status, 422, refused.text);
  t.match(refused.json, { error: 'too_many_sandbox_keys', status: 422, message: /100 sandbox/ });
  t.equal((await mint(sibling)).status, 201, 'another Principal has its own');
  for (const ending of ['expires_at = now()', 'revoked_at = now()']) {
    await pool.query(
      `UPDATE credential SET ${ending}, version = version + 1 WHERE id IN (
         SELECT id FROM credential WHERE principal_id = $1 AND version = 1 LIMIT 1)`,
      [principal],
    );
    t.equal((await mint()).status, 201, ending);
    t.equal((await mint()).status, 422, ending);
  }
});

test('however many are minted at once, no more come into being', async (t) => {
  const { principal, mint } = await clientWith(maxPrincipalKeys - 3);
  const replicas = [first, second];
  const holder = await pool.connect();
  await holder.query('BEGIN; LOCK TABLE credential IN SHARE MODE');
  const answers = Promise.all(
    Array.from({ length: 12 }, (_, n) => mint(principal, replicas[n % 2])),
  );
  // Nothing can be added while they count what is there.
  await until(async () => (await waitingForLocks(pool)) >= 4, { what: 'four' });
  await holder.query('COMMIT');
  holder.release();
  const statuses = (await answers).map(({ status }) => status).sort();
  t.same(statuses, [...Array(3).fill(201), ...Array(9).fill(422)]);
});

test('the index is used for counting', async (t) => {
  const client = await pool.connect();
  try {
    // Small tables would be scanned, so this tests whether the index can be used.
    await client.query('BEGIN; SET LOCAL enable_seqscan = off');
    const { rows } = await client.query<Record<string, string>>(
      `EXPLAIN SELECT FROM credential
       WHERE principal_id = 'prn_1' AND revoked_at IS NULL LIMIT 100`,
    );
    t.match(rows.map((row) => row['QUERY PLAN']).join(), /credential_principal_id_idx/);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});
