import { newId } from '@countersign/kernel/id';
import { until } from '@countersign/runtime/testing';
import { t as file, test } from 'tap';
import { startOverStandIns } from './over-stand-ins.js';
import { agentRecord, principalRecord } from './samples.js';

const { services, gateway, clientId, key, close } = await startOverStandIns();
file.teardown(close);
const { pool } = gateway.context;
services.on('ErasePersonalData', () => ({ clientId }));

/** Registers a person under a key of its own, as the gateway keeps the answer. */
async function register(name: string, displayName: string, ref = name) {
  services.on('RegisterPrincipal', (request) =>
    principalRecord({ ...request, profile: { ...request.profile, displayName } }),
  );
  const body = {
    principal_kind: 'personal',
    client_customer_ref: ref,
    program_ids: [newId('program')],
    profile: { display_name: 'Ada', email: 'ada@example.com' },
    verification: { type: 'KYC', mode: 'platform_provider' },
  };
  const headers = { 'Idempotency-Key': name };
  const send = () => gateway.call('/api/v1/principals', { key, body, headers });
  const { status, json } = await send();
  return { status, id: json.id as string, send };
}

const kept = async () => {
  const sql = `SELECT key, state, body IS NULL AS empty FROM onboarding_idempotency ORDER BY key`;
  return (await pool.query(sql)).rows;
};

test('of a person that is erased no kept answer is left, and of another it is', async (t) => {
  const erased = await register('erased', 'Ada');
  t.equal(erased.status, 201);
  await register('other', 'Bob', `guest of ${erased.id}`);
  const path = `/sandbox/principals/${erased.id}/personal-data`;
  t.equal((await gateway.operate('DELETE', path)).status, 204);
  t.same(await kept(), [
    { key: 'erased', state: 'pending', empty: true },
    { key: 'other', state: 'done', empty: false },
  ]);
  t.equal((await erased.send()).json.id, erased.id, 'a retry has the same id');
});

test('nor is one that was under way, and its retry is answered', async (t) => {
  const { id } = await register('before', 'Ann');
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let asked = 0;
  services.on('CreateAgent', async (request) => {
    asked += 1;
    await held;
    return agentRecord({ id: request.id, name: request.name });
  });
  const add = () =>
    gateway.call(`/api/v1/principals/${id}/agents`, {
      key,
      body: { name: 'Shopper of Ann' },
      headers: { 'Idempotency-Key': 'under-way' },
    });
  const first = add();
  await until(() => asked === 1, { what: 'the call' });
  t.equal((await gateway.operate('DELETE', `/sandbox/principals/${id}/personal-data`)).status, 204);
  letGo();
  const { status, json } = await first;
  t.equal(status, 201);
  t.match(await kept(), [
    { key: 'before' },
    { key: 'erased' },
    {},
    { state: 'pending', empty: true },
  ]);
  const again = await add();
  t.match(again, { status: 201, json: { id: json.id } });
});

test('an erasure that the kept answers were not reached by is not said to be done', async (t) => {
  const { id } = await register('unreached', 'Eve');
  const rename = (from: string, to: string) => pool.query(`ALTER TABLE ${from} RENAME TO ${to}`);
  await rename('onboarding_idempotency', 'elsewhere');
  const path = `/sandbox/principals/${id}/personal-data`;
  const { status } = await gateway.operate('DELETE', path);
  await rename('elsewhere', 'onboarding_idempotency');
  t.ok(status >= 500, String(status));
  t.equal((await gateway.operate('DELETE', path)).status, 204);
});

test('kept answers of another Client, or of the other environment, are left alone', async (t) => {
  const { id } = await register('copied', 'Cem');
  const others = [
    { client_id: 'cli_other', environment: 'sandbox' },
    { client_id: clientId, environment: 'live' },
  ];
  await pool.query(
    `INSERT INTO onboarding_idempotency
     SELECT (jsonb_populate_record(kept, other)).*
     FROM onboarding_idempotency kept, jsonb_array_elements($1::jsonb) other
     WHERE key = 'copied'`,
    [JSON.stringify(others)],
  );
  const path = `/sandbox/principals/${id}/personal-data`;
  t.equal((await gateway.operate('DELETE', path)).status, 204);
  const { rows } = await pool.query(
    `SELECT client_id, environment FROM onboarding_idempotency
     WHERE key = 'copied' AND state = 'done' AND body IS NOT NULL ORDER BY environment DESC`,
  );
  t.same(rows, others);
});

test('however many answers are kept, no statement goes through all of them', async (t) => {
  const { id } = await register('a-first', 'Fay');
  const many = 1_100;
  await pool.query(
    `INSERT INTO onboarding_idempotency
     SELECT (jsonb_populate_record(kept, jsonb_build_object('key', 'many-' || n))).*
     FROM onboarding_idempotency kept, generate_series(1, $1::int) n WHERE key = 'a-first'`,
    [many],
  );
  const answersWith = async () => {
    const sql = 'SELECT count(*)::int FROM onboarding_idempotency WHERE strpos(body, $1) > 0';
    return (await pool.query(sql, [id])).rows[0].count;
  };
  t.equal(await answersWith(), many + 1);
  const statements = t.capture(pool, 'query', pool.query);
  const path = `/sandbox/principals/${id}/personal-data`;
  t.equal((await gateway.operate('DELETE', path)).status, 204);
  const forgetting = statements().filter(({ args: [text] }) =>
    /UPDATE onboarding_idempotency/.test(String(text)),
  );
  t.equal(forgetting.length, 4, 'three with rows, and one that finds none');
  t.equal(await answersWith(), 0);
});
