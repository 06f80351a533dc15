import { Fault } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import { sweep } from '@countersign/runtime/retention';
import { until } from '@countersign/runtime/testing';
import { t as file, type Test, test } from 'tap';
import { oldKeySweeps } from '../idempotency/rows.js';
import { routes } from '../routes.js';
import { startOverStandIns } from './over-stand-ins.js';
import { agentRecord, mandateRecord, principalRecord } from './samples.js';

const { world, services, options, gateway, clientId, key, close } = await startOverStandIns();
file.teardown(close);
const other = await world.replica(options, { routes });

const body = {
  principal_kind: 'personal',
  program_ids: [newId('program')],
  profile: { display_name: 'Ada', email: 'ada@example.com' },
  verification: { type: 'KYC', mode: 'platform_provider' },
};

/** As identity does it: the same id again is the same principal. */
const made = new Map<string, unknown>();
function register(request: { id: string; clientId: string }) {
  const known = made.get(request.id) ?? principalRecord({ ...request, version: made.size });
  made.set(request.id, known);
  return known;
}

interface Sent {
  name: string;
  body?: unknown;
  path?: string;
  key?: string;
  replica?: typeof gateway;
  once?: boolean;
}

function post({
  name,
  body: sent = body,
  path = '/principals',
  key: apiKey = key,
  replica = gateway,
  once = false,
}: Sent) {
  const headers = { 'Idempotency-Key': name };
  return replica.call(`/api/v1${path}`, { key: apiKey, body: sent, headers, once });
}

function setRow(name: string, change: string) {
  const sql = `UPDATE onboarding_idempotency SET ${change} WHERE key = $1`;
  return gateway.context.pool.query(sql, [name]);
}

async function leaseSeconds(name: string): Promise<number> {
  const sql = `SELECT extract(epoch FROM lease_until - now())::float8 AS left
    FROM onboarding_idempotency WHERE key = $1`;
  return (await gateway.context.pool.query(sql, [name])).rows[0].left;
}

test('same key, same body: the first status and body again, and no second object', async (t) => {
  services.on('RegisterPrincipal', register);
  const before = made.size;
  const first = await post({ name: 'same' });
  t.equal(first.status, 201);
  const again = await post({ name: 'same', replica: other });
  t.equal(again.status, 201);
  t.equal(again.text, first.text);
  // Spelled another way, it is the same request.
  const reordered = Object.fromEntries(Object.entries(body).reverse());
  t.equal((await post({ name: 'same', body: reordered })).text, first.text);
  t.equal(made.size, before + 1);
  services.forget();
  await setRow('same', `lease_until = now() - interval '1 ms'`);
  t.equal((await post({ name: 'same' })).text, first.text);
  t.equal(services.requests('RegisterPrincipal').length, 0, 'what is done is not done again');
});

test('same key, other request: 422 in the flat envelope', async (t) => {
  services.on('RegisterPrincipal', register);
  const first = await post({ name: 'reuse' });
  const changed = { ...body, principal_kind: 'merchant' };
  const refused = await post({ name: 'reuse', body: changed });
  t.equal(refused.status, 422);
  t.same(Object.keys(refused.json), ['error', 'message', 'status', 'request_id']);
  t.match(refused.json, { error: 'idempotency_key_reuse', status: 422 });
  services.on('CreateAgent', (request) => agentRecord({ id: request.id }));
  const path = `/principals/${first.json.id}/agents`;
  const elsewhere = await post({ name: 'reuse', path, body: { name: 'A' } });
  t.equal(elsewhere.json.error, 'idempotency_key_reuse', 'another endpoint is another request');
});

test('every creating endpoint takes a key, and the path is part of the request', async (t) => {
  services.on('CreateAgent', (request) => agentRecord(request));
  services.on('CreateMandate', (request) => mandateRecord({ id: request.id }));
  services.on('Onboard', ({ principal, agent, mandate }) => ({
    principal: register(principal),
    agent: agentRecord(agent),
    mandate: mandateRecord({ id: mandate.id }),
  }));
  const limits = { max_amount_per_transaction: '1', max_daily_amount: '2', currency: 'USD' };
  const grant = { rails: ['card'], limits };
  const calls = [
    ['/onboard', { principal: body, agent: { name: 'A' }, mandate: grant }, 201],
    [`/principals/${newId('principal')}/agents`, { name: 'A' }, 201],
    [`/agents/${newId('agent')}/mandates`, grant, 201],
  ] as const;
  for (const [path, sent, status] of calls) {
    const name = `endpoint ${path}`;
    const first = await post({ name, path, body: sent });
    t.equal(first.status, status, path);
    t.equal((await post({ name, path, body: sent })).text, first.text);
  }
  const [, [, agent]] = calls;
  const path = `/principals/${newId('principal')}/agents`;
  t.equal((await post({ name: `endpoint ${calls[1][0]}`, path, body: agent })).status, 422);
});

/** A call that is being carried out until it is told how that ends. */
async function held(name: string, replica: typeof gateway, once = false) {
  let tell: (ending: typeof register) => void = () => {};
  const ending = new Promise<typeof register>((resolve) => (tell = resolve));
  const started = new Promise<void>((begun) => {
    services.on('RegisterPrincipal', async (request) => {
      begun();
      return (await ending)(request);
    });
  });
  const answer = post({ name, replica, once });
  await started;
  return { answer, end: tell };
}

test('a second call while the first is under way is a 409, and later the replay', async (t) => {
  const first = await held('slow', gateway);
  const second = await post({ name: 'slow', replica: other });
  t.equal(second.status, 409);
  t.match(second.json, { error: 'idempotency_key_in_progress', status: 409 });
  t.equal(second.headers.get('retry-after'), '1');
  first.end(register);
  const answer = await first.answer;
  t.equal(answer.status, 201);
  t.equal((await post({ name: 'slow' })).text, answer.text);
});

test('fifty at once: one creation, and everybody else gets its answer or a 409', async (t) => {
  services.on('RegisterPrincipal', register);
  const before = made.size;
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      post({ name: 'crowd', replica: n % 2 === 0 ? gateway : other }),
    ),
  );
  t.equal(made.size, before + 1);
  const created = answers.filter(({ status }) => status === 201);
  t.ok(created.length >= 1);
  t.equal(new Set(created.map(({ text }) => text)).size, 1);
  t.ok(answers.every(({ status }) => status === 201 || status === 409));
});

test('a call that died is carried out again under the same ids', async (t) => {
  services.forget();
  const unknown = new Fault('deadline', { code: 'SERVICE_UNAVAILABLE', message: 'Silence.' });
  services.on('RegisterPrincipal', (request) => {
    // It was created, and then nobody heard of it.
    register(request);
    throw unknown;
  });
  t.equal((await post({ name: 'died', once: true })).status, 503);
  services.on('RegisterPrincipal', register);
  const changed = await post({ name: 'died', body: { ...body, principal_kind: 'merchant' } });
  t.equal(changed.json.error, 'idempotency_key_reuse', 'another request gets none of its ids');
  const retried = await post({ name: 'died', replica: other });
  t.equal(retried.status, 201);
  const asked = services.requests('RegisterPrincipal');
  t.equal(new Set(asked.map(({ id }) => id)).size, 1);
  t.equal(retried.json.id, asked[0].id);
  t.equal(new Set(asked.map(({ verificationSessionId: id }) => id)).size, 1);
});

test('a pending row of a dead process is taken over after its deadline, by one', async (t) => {
  services.forget();
  const never = new Promise<never>(() => {});
  services.on('RegisterPrincipal', () => never);
  const gone = await world.replica(options, { routes });
  // Whoever dies takes the connection along: its caller hears nothing, and is not looked at here.
  const lost = post({ name: 'crashed', replica: gone }).catch(() => null);
  const claimed = await until(async () => services.requests('RegisterPrincipal')[0]);
  t.equal((await post({ name: 'crashed' })).status, 409, 'its deadline has not passed');
  t.ok((await leaseSeconds('crashed')) <= 6, 'which it has soon');
  services.on('RegisterPrincipal', register);
  await setRow('crashed', `lease_until = now() - interval '1 ms'`);
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => post({ name: 'crashed', replica: other })),
  );
  const created = answers.filter(({ status }) => status === 201);
  t.ok(created.length >= 1);
  for (const answer of created) t.equal(answer.json.id, claimed.id);
  t.equal(services.requests('RegisterPrincipal').length, 2, 'the dead process, and one more');
  t.equal(new Set(services.requests('RegisterPrincipal').map(({ id }) => id)).size, 1);
  await lost;
});

test('a refused creation is not kept: the same key may succeed later', async (t) => {
  const refusal = new Fault('invalid', { code: 'program_not_owned', message: 'Not yours.' });
  services.on('RegisterPrincipal', () => {
    throw refusal;
  });
  const refused = await post({ name: 'mended' });
  t.equal(refused.status, 422);
  t.match(refused.json, { error: 'program_not_owned', status: 422 });
  services.on('RegisterPrincipal', register);
  const changed = { ...body, client_customer_ref: 'other' };
  t.equal((await post({ name: 'mended', body: changed })).status, 201);
});

/** A call whose lease ends, so that another creates; `late` lets its own creation end. */
async function overtaken(t: Test, name: string, ending: typeof register) {
  const { answer, end } = await held(name, gateway);
  await setRow(name, `lease_until = now() - interval '1 ms'`);
  services.on('RegisterPrincipal', register);
  const created = await post({ name, replica: other });
  t.equal(created.status, 201);
  const late = () => {
    end(ending);
    return answer;
  };
  return { created, late };
}

test('a call that is refused late does not forget what another has created', async (t) => {
  const refusal = new Fault('invalid', { code: 'program_not_owned', message: 'Not yours.' });
  const { created, late } = await overtaken(t, 'late', () => {
    throw refusal;
  });
  t.equal((await late()).status, 422);
  t.equal((await post({ name: 'late' })).text, created.text);
});

test('a call that is answered late does not replace the answer that another gave', async (t) => {
  const { created, late } = await overtaken(t, 'overtaken', (request) =>
    principalRecord({ ...request, riskTier: 'HIGH' }),
  );
  const answer = await late();
  t.equal(answer.status, 201);
  t.not(answer.text, created.text);
  t.equal((await post({ name: 'overtaken' })).text, created.text);
});

test('a call that fails late leaves the key to another that is under way', async (t) => {
  const failures = [
    [422, new Fault('invalid', { code: 'program_not_owned', message: 'Not yours.' })],
    [503, new Fault('deadline', { code: 'SERVICE_UNAVAILABLE', message: 'Silence.' })],
  ] as const;
  for (const [status, fault] of failures) {
    const name = `fails late ${status}`;
    const late = await held(name, gateway, true);
    await setRow(name, `lease_until = now() - interval '1 ms'`);
    const second = await held(name, other);
    services.on('RegisterPrincipal', register);
    late.end(() => {
      throw fault;
    });
    t.equal((await late.answer).status, status);
    t.equal((await post({ name })).status, 409, 'nobody else has it');
    second.end(register);
    t.equal((await second.answer).status, 201);
  }
});

const fault = (kind: 'invalid' | 'deadline') =>
  new Fault(kind, {
    code: kind === 'invalid' ? 'program_not_owned' : 'SERVICE_UNAVAILABLE',
    message: 'No.',
  });
/** The ways in which a call ends, and what is done with its key then. */
const endings = [
  [422, () => Promise.reject(fault('invalid')), 'DELETE FROM onboarding_idempotency'],
  [503, () => Promise.reject(fault('deadline')), 'SET lease_until'],
  [201, register, `SET state = 'done'`],
] as const;

test('what was decided is answered, although its key could not be given back', async (t) => {
  const { pool } = gateway.context;
  const rename = (from: string, to: string) => pool.query(`ALTER TABLE ${from} RENAME TO ${to}`);
  for (const [status, end] of endings) {
    services.on('RegisterPrincipal', async (request) => {
      await rename('onboarding_idempotency', 'elsewhere');
      return end(request);
    });
    const answer = await post({ name: `unkept ${status}`, once: true });
    await rename('elsewhere', 'onboarding_idempotency');
    t.equal(answer.status, status);
  }
});

test('nobody is answered before what becomes of the key is stored', async (t) => {
  const { pool } = gateway.context;
  for (const [status, end, statement] of endings) {
    services.on('RegisterPrincipal', end);
    let isHeld = false;
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const query = pool.query.bind(pool) as (...given: unknown[]) => Promise<unknown>;
    const holding = t.capture(pool, 'query', async (...given: unknown[]) => {
      if (String(given[0]).includes(statement)) {
        isHeld = true;
        await held;
      }
      return query(...given);
    });
    let isAnswered = false;
    const answer = post({ name: `held ${status}`, once: true }).finally(() => (isAnswered = true));
    await until(() => isHeld, { what: statement });
    const meanwhile = await post({ name: `held ${status}`, replica: other, once: true });
    t.equal(meanwhile.status, 409, 'a repeat has to wait');
    t.equal(isAnswered, false, String(status));
    letGo();
    t.equal((await answer).status, status);
    holding.restore();
  }
});

test('a key belongs to one Client in one environment', async (t) => {
  services.on('RegisterPrincipal', register);
  const { api_key: live } = await gateway.key(clientId, { environment: 'live' });
  const stranger = await gateway.client(world.identity, 0);
  const { api_key: theirs } = await gateway.key(stranger.id);
  const answers = await Promise.all(
    [key, live, theirs].map((apiKey) => post({ name: 'shared', key: apiKey })),
  );
  t.same(
    answers.map(({ status }) => status),
    [201, 201, 201],
  );
  t.equal(new Set(answers.map(({ json }) => json.id)).size, 3);
});

test('after 24 hours a key is new again, and the sweep takes old ones away', async (t) => {
  services.on('RegisterPrincipal', register);
  const first = await post({ name: 'old' });
  await setRow('old', `created_at = now() - interval '24 hours'`);
  const changed = { ...body, principal_kind: 'merchant' };
  const second = await post({ name: 'old', body: changed });
  t.equal(second.status, 201);
  t.not(second.json.id, first.json.id);
  t.equal((await post({ name: 'old', body: changed })).text, second.text, 'nothing of the old');
  await post({ name: 'older' });
  await setRow('older', `created_at = now() - interval '25 hours'`);
  await sweep(gateway.context.pool, oldKeySweeps);
  const { rows } = await gateway.context.pool.query(
    `SELECT key FROM onboarding_idempotency WHERE key IN ('old', 'older')`,
  );
  t.same(rows, [{ key: 'old' }]);
});

test('the 24 hours of a key begin with its first use, whoever took it over', async (t) => {
  services.on('RegisterPrincipal', () => {
    throw new Fault('deadline', { code: 'SERVICE_UNAVAILABLE', message: 'Silence.' });
  });
  t.equal((await post({ name: 'first use', once: true })).status, 503);
  await setRow('first use', `created_at = now() - interval '23 hours'`);
  services.on('RegisterPrincipal', register);
  const created = await post({ name: 'first use' });
  t.equal(created.status, 201);
  await setRow('first use', `created_at = created_at - interval '1 hour'`);
  t.not((await post({ name: 'first use' })).json.id, created.json.id);
});

test('without a key every call creates; with a bad one none does', async (t) => {
  services.on('RegisterPrincipal', register);
  const create = () => gateway.call('/api/v1/principals', { key, body });
  const [one, two] = await Promise.all([create(), create()]);
  t.not(one.json.id, two.json.id);
  const bad = await post({ name: 'x'.repeat(256) });
  t.equal(bad.status, 422);
  t.equal(bad.json.error.code, 'VALIDATION_ERROR');
});
