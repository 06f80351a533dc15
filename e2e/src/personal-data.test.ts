/** Who somebody is: changed and erased by the operator, and nowhere else than documented. */
import { randomUUID } from 'node:crypto';
import { startStack } from '@countersign/tools/stack';
import { Client } from 'pg';
import t, { type Test } from 'tap';
import { api } from './api.js';
import { openMailbox } from './mailbox.js';
import { patience } from './patience.js';
import { expectStatus, newTenant, onboardBody, operator, paymentBody } from './tenant.js';

const mailbox = await openMailbox();
const env = { ...mailbox.env, RATE_LIMIT_MULTIPLIER: '0', ...patience };
const stack = await startStack({ env, seed: false });
t.teardown(async () => {
  await stack.stop();
  await mailbox.close();
});
const admin = operator(stack);
const tenant = await newTenant(stack);

/** In each text that says who the person is. */
const marker = `m${randomUUID()}`;

const body = onboardBody(tenant.programId, { max_amount_per_transaction: '1000.00' });
const registration = {
  ...body,
  principal: {
    ...body.principal,
    profile: { display_name: marker, email: `${marker}@example.com`, phone: '+14155550199' },
    verification: {
      ...body.principal.verification,
      attestation: {
        attested_by: marker,
        scope: marker,
        statement: marker,
        evidence_ref: marker,
      },
    },
    step_up: { method: 'email' },
    client_customer_ref: marker,
    metadata: { file: marker },
  },
  agent: { ...body.agent, name: marker, external_agent_ref: marker, metadata: { of: marker } },
};

const run = randomUUID();

/** The same call each time, as its key says. */
async function created(path: string, sent: unknown) {
  const headers = { 'idempotency-key': `${run} ${path}` };
  return expectStatus(await tenant.client.call('POST', path, { body: sent, headers }), 201);
}

const onboard = () => created('/api/v1/onboard', registration);
const onboarded = await onboard();
const principalId: string = onboarded.principal.id;
const agentId: string = onboarded.agent.id;
const addAgent = () => created(`/api/v1/principals/${principalId}/agents`, { name: marker });
const added = await addAgent();
const path = `/internal/v1/sandbox/principals/${principalId}`;
const acting = api(stack.baseUrl, { 'x-api-key': tenant.apiKey, 'x-principal-id': principalId });

/** The tables that have it, as `database.table`. */
async function tablesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { service, environment, url } of stack.databases) {
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    for (const { name } of rows) {
      const { rowCount } = await client.query(
        `SELECT 1 FROM "${name}" each WHERE strpos(each::text, $1) > 0 LIMIT 1`,
        [text],
      );
      if (rowCount) found.push(`${service} ${environment} ${name}`);
    }
    await client.end();
  }
  return found.sort();
}

async function noneIsLeft(t: Test): Promise<void> {
  t.same(await tablesWith(marker), []);
}

async function pay(amount: string) {
  return expectStatus(
    await acting.post('/api/v1/authorize', paymentBody(agentId, { amount })),
    200,
  );
}

interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown;
  pattern?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean;
}

t.test('the registration has it in every text that the API takes', async (t) => {
  const { body: document } = await api(stack.baseUrl).get('/api/v1/openapi.json');
  const missing = (schema: Schema, sent: unknown, path: string): string[] => {
    const { $ref, type, properties = {} } = schema;
    if ($ref) return missing(document.components.schemas[$ref.split('/').pop() ?? ''], sent, path);
    const isFree = type === 'string' && !schema.enum && !schema.pattern;
    if (isFree || schema.additionalProperties) {
      return JSON.stringify(sent ?? null).includes(marker) ? [] : [path];
    }
    const members = sent as Record<string, unknown> | undefined;
    return Object.entries(properties).flatMap(([name, of]) =>
      missing(of, members?.[name], `${path}.${name}`),
    );
  };
  const { principal, agent } = document.components.schemas.Onboard.properties;
  t.ok(principal && agent);
  t.same(missing(principal, registration.principal, 'principal'), []);
  t.same(missing(agent, registration.agent, 'agent'), []);
});

t.test('who has another address receives the codes there', async (t) => {
  const email = `new-${marker}@example.com`;
  const profile = { display_name: marker, email, country: 'GBR' };
  const step_up = { method: 'email' };
  const put = await admin.call('PUT', `${path}/profile`, { body: { profile, step_up } });
  t.match(expectStatus(put, 200), { profile: { ...profile, phone: null }, step_up });
  const { authorization_id: id, decision } = await pay('666.02');
  t.equal(decision, 'STEP_UP');
  const code = await mailbox.codeFor(email);
  const verified = await acting.post(`/api/v1/authorize/step-up/${id}/verify-otp`, { code });
  t.equal(verified.status, 200, verified.text);

  const bySms = { profile, step_up: { method: 'sms' } };
  const refused = await admin.call('PUT', `${path}/profile`, { body: bySms });
  t.equal(refused.status, 422, 'a code by SMS needs a number');
  t.match(refused.body.error.details.errors, [{ field: 'step_up.phone' }]);
});

t.test('all of it is shown to the operator', async (t) => {
  const held = expectStatus(await admin.get(`${path}/personal-data`), 200);
  t.match(held, {
    profile: { display_name: marker, email: `new-${marker}@example.com` },
    step_up: { method: 'email' },
    client_customer_ref: marker,
    attestation: { attested_by: marker, scope: marker, statement: marker },
    metadata: { file: marker },
  });
});

t.test('it is kept by identity, and by the gateway in the answers of a day', async (t) => {
  t.same(await tablesWith(marker), [
    'gateway null onboarding_idempotency',
    'identity sandbox agents',
    'identity sandbox principals',
    'identity sandbox profiles',
  ]);
});

t.test('erased, nothing of it is left, and nothing can be paid', async (t) => {
  expectStatus(
    await acting.call('PATCH', `/api/v1/agents/${agentId}/status`, {
      body: { status: 'SUSPENDED', reason: marker },
    }),
    200,
  );
  t.match(await pay('10.00'), { decision: 'DECLINE', reason_codes: ['AGENT_SUSPENDED'] });
  expectStatus(
    await acting.call('PATCH', `/api/v1/agents/${agentId}/status`, {
      body: { status: 'ACTIVE', reason: marker },
    }),
    200,
  );
  t.match(await pay('10.00'), { decision: 'APPROVE' });

  const { authorization_id: open } = await pay('666.02');
  for (const time of ['once', 'again']) {
    t.equal((await admin.call('DELETE', `${path}/personal-data`)).status, 204, time);
    t.match(await pay('10.00'), {
      decision: 'DECLINE',
      reason_codes: ['PRINCIPAL_NOT_VERIFIED'],
    });
  }
  for (const way of ['confirm', 'deny', 'verify-otp']) {
    const code = way === 'verify-otp' ? { code: '000000' } : undefined;
    const { status, body } = await acting.post(`/api/v1/authorize/step-up/${open}/${way}`, code);
    t.match({ status, code: body.error.code }, { status: 403, code: 'KYC_REQUIRED' }, way);
  }
  await noneIsLeft(t);
  const nothing = { profile: null, step_up: null, client_customer_ref: null, attestation: null };
  t.same(expectStatus(await admin.get(`${path}/personal-data`), 200), {
    ...nothing,
    metadata: {},
  });
  t.match(expectStatus(await acting.get(`/api/v1/principals/${principalId}`), 200), {
    verification_status: 'EXPIRED',
  });
  const { agents } = expectStatus(await acting.get('/api/v1/agents'), 200);
  t.equal(agents.length, 2);
  for (const { display_name } of agents) t.equal(display_name, 'erased');
});

t.test('a call of onboarding that is repeated creates nothing, and tells nothing', async (t) => {
  const { principal, agent } = await onboard();
  t.match(principal, { id: principalId, client_customer_ref: null });
  t.match(agent, { id: agentId, name: 'erased' });
  t.match(await addAgent(), { id: added.id, name: 'erased' });
  await noneIsLeft(t);
});

t.test('whose data is unknown is 404', async (t) => {
  const other = path.replace(principalId, `prn_${'0'.repeat(26)}`);
  const profile = { display_name: 'Ada', email: 'ada@example.com' };
  t.equal((await admin.get(`${other}/personal-data`)).status, 404);
  t.equal((await admin.call('DELETE', `${other}/personal-data`)).status, 404);
  t.equal((await admin.call('PUT', `${other}/profile`, { body: { profile } })).status, 404);
});
