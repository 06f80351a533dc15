/** The onboarding plane: its endpoints, error codes, atomicity and idempotency. */
import { randomUUID } from 'node:crypto';
import { until } from '@countersign/runtime/testing';
import t, { type Test } from 'tap';
import { type Answer, api } from './api.js';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import {
  expectStatus,
  newSpender,
  newTenant,
  onboardBody,
  operator,
  paymentBody,
  type Tenant,
} from './tenant.js';

const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0' },
  seed: false,
});
t.teardown(() => stack.stop());
const admin = operator(stack);
const tenant = await newTenant(stack);
const { client, programId } = tenant;

type Fields = Record<string, unknown>;

const principalBody = (fields: Fields = {}) => ({
  ...onboardBody(programId).principal,
  client_customer_ref: randomUUID(),
  ...fields,
});
const pendingVerification = { type: 'KYB', mode: 'platform_provider' };
const limits = { max_amount_per_transaction: '10', max_daily_amount: '20', currency: 'USD' };
const nobody = 'prn_01k5a3v7q8e9f0g1h2j3k4m5n6';

async function addProgram(owner: Tenant, fields: Fields = {}): Promise<string> {
  const path = `/internal/v1/clients/${owner.clientId}/programs`;
  const body = { environment: 'sandbox', name: 'Another', rails: ['card'], ...fields };
  return expectStatus(await admin.post(path, body), 201).id;
}

/** Asserts the complete flat envelope for a business rule of this plane. */
function isFlat(t: Test, answer: Answer, [status, code]: [number, string]): void {
  t.equal(answer.status, status, `${code}: ${answer.text}`);
  const { message, request_id, ...rest } = answer.body;
  t.same(rest, { error: code, status });
  t.type(message, 'string');
  t.equal(request_id, answer.headers.get('x-request-id'));
}

/** Asserts the platform envelope, which schema violations have on this plane too. */
function isInvalid(t: Test, answer: Answer, [field, type]: [string, string?]): void {
  t.equal(answer.status, 422, answer.text);
  t.equal(answer.body.error.code, 'VALIDATION_ERROR');
  t.match(
    answer.body.error.details.errors.find((each: Fields) => each.field === field),
    { field, message: String, type: type ?? String },
    `${field}: ${answer.text}`,
  );
}

t.test('registering a Principal', async (t) => {
  const registered = expectStatus(await client.post('/api/v1/principals', principalBody()), 201);
  t.match(registered, {
    verification_status: 'VERIFIED',
    verification_mode: 'client_attested',
    risk_tier: 'LOW',
    programs: [programId],
    agents: [],
    verification_session: null,
  });
  const pending = await client.post(
    '/api/v1/principals',
    principalBody({ verification: pendingVerification }),
  );
  t.match(expectStatus(pending, 202), {
    verification_status: 'PENDING',
    verification_session: { status: 'REQUIRES_INPUT' },
  });
  const ref = randomUUID();
  const named = principalBody({ client_customer_ref: ref });
  expectStatus(await client.post('/api/v1/principals', named), 201);
  isFlat(t, await client.post('/api/v1/principals', named), [409, 'duplicate_client_customer_ref']);
  const other = await newTenant(stack);
  const theirs = await other.client.post('/api/v1/principals', {
    ...named,
    program_ids: [other.programId],
  });
  t.equal(theirs.status, 201, 'references are for each Client');
  for (const program of [other.programId, 'prg_01k5a3v7q8e9f0g1h2j3k4m5n6']) {
    const answer = await client.post(
      '/api/v1/principals',
      principalBody({ program_ids: [program] }),
    );
    isFlat(t, answer, [422, 'program_not_owned']);
  }
  const attestedOnly = await addProgram(tenant, { verification_mode: 'client_attested' });
  const refused = await client.post(
    '/api/v1/principals',
    principalBody({ program_ids: [attestedOnly], verification: pendingVerification }),
  );
  isInvalid(t, refused, ['verification.mode', 'verification_mode_not_allowed']);
});

t.test('a Principal with many agents has them all listed and counted', async (t) => {
  const { id } = expectStatus(await client.post('/api/v1/principals', principalBody()), 201);
  const path = `/api/v1/principals/${id}/agents`;
  const made = new Set<string>();
  for (let wave = 0; wave < 21; wave += 1) {
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, index) => client.post(path, { name: `${wave}.${index}` })),
    );
    for (const answer of answers) made.add(expectStatus(answer, 201).id);
  }
  const listed = expectStatus(await client.get(path), 200);
  t.equal(listed.count, made.size);
  t.same(new Set(listed.agents.map((agent: Fields) => agent.id)), made);
});

t.test('what a registration must have', async (t) => {
  const profile = { display_name: 'Ada', email: 'ada@example.com' };
  const rows: Array<[fields: Fields, field: string, type?: string]> = [
    [{ principal_kind: undefined }, 'principal_kind', 'required'],
    [{ principal_kind: 'robot' }, 'principal_kind'],
    [{ program_ids: undefined }, 'program_ids', 'required'],
    [{ program_ids: [] }, 'program_ids'],
    [{ profile: undefined }, 'profile', 'required'],
    [{ profile: { display_name: 'Ada' } }, 'profile.email', 'required'],
    [{ profile: { email: 'ada@example.com' } }, 'profile.display_name', 'required'],
    [{ profile: { ...profile, email: 'nobody' } }, 'profile.email'],
    [{ profile: { ...profile, phone: '555' } }, 'profile.phone'],
    [{ profile: { ...profile, country: 'US' } }, 'profile.country'],
    [{ profile: { ...profile, age: 3 } }, 'profile.age', 'unrecognized_keys'],
    [{ verification: undefined }, 'verification', 'required'],
    [{ verification: { type: 'KYC' } }, 'verification.mode', 'required'],
    [
      { verification: { type: 'KYC', mode: 'client_attested' } },
      'verification.attestation',
      'attestation_required',
    ],
    [{ step_up: { method: 'sms' } }, 'step_up.phone', 'invalid_phone_format'],
    [{ step_up: { method: 'sms', phone: '0170' } }, 'step_up.phone', 'invalid_phone_format'],
    [{ step_up: { method: 'pigeon' } }, 'step_up.method'],
    [{ metadata: 'x' }, 'metadata'],
    [{ surprise: true }, 'surprise', 'unrecognized_keys'],
  ];
  for (const [fields, field, type] of rows) {
    const answer = await client.post('/api/v1/principals', principalBody(fields));
    isInvalid(t, answer, type === undefined ? [field] : [field, type]);
  }
});

t.test('a pending verification resolves, and until then little is allowed', async (t) => {
  const body = onboardBody(programId);
  const start = async () => {
    const answer = await client.post('/api/v1/onboard', {
      ...body,
      principal: principalBody({ verification: pendingVerification }),
    });
    const { principal, agent } = expectStatus(answer, 202);
    const headers = { 'x-api-key': tenant.apiKey, 'x-principal-id': principal.id };
    return { id: principal.id as string, agentId: agent.id, acting: api(stack.baseUrl, headers) };
  };
  for (const result of ['VERIFIED', 'FAILED']) {
    const { id, agentId, acting } = await start();
    const declined = await acting.post('/api/v1/authorize', paymentBody(agentId));
    t.match(expectStatus(declined, 200).reason_codes, ['PRINCIPAL_NOT_VERIFIED']);
    const write = await acting.call('PUT', '/api/v1/thresholds', {
      body: { cts_green_threshold: 0.8 },
    });
    t.match(write, { status: 403, body: { error: { code: 'KYC_REQUIRED' } } });
    t.equal((await acting.get('/api/v1/agents')).status, 200, 'reads work');
    const simulate = `/api/v1/principals/${id}/verification/simulate`;
    isInvalid(t, await client.post(simulate, { result: 'MAYBE' }), ['result']);
    const listed = async () =>
      expectStatus(await client.get(`/api/v1/principals/${id}/agents`), 200).agents;
    // Its score follows the refused payment, and nothing else is learnt about it after that.
    const isScored = async () => (await listed())[0].kya_score !== null;
    await until(isScored, { timeoutMs: 30_000, what: 'the score of the agent' });
    const resolved = expectStatus(await client.post(simulate, { result }), 200);
    t.match(resolved, { id, verification_status: result });
    t.same(resolved.agents, await listed(), 'with the agent that it was onboarded with');
    const read = expectStatus(await acting.get(`/api/v1/principals/${id}`), 200);
    t.equal(read.verification_status, result);
    const again = await client.post(simulate, { result });
    isFlat(t, again, [422, 'verification_not_pending']);
    const after = await acting.post('/api/v1/authorize', paymentBody(agentId));
    t.equal(after.body.decision, result === 'VERIFIED' ? 'APPROVE' : 'DECLINE');
  }
  const missing = `/api/v1/principals/${nobody}/verification/simulate`;
  isFlat(t, await client.post(missing, { result: 'FAILED' }), [404, 'principal_not_found']);
});

t.test('Programs, agents and mandates of a Principal', async (t) => {
  const spender = await newSpender(stack, tenant);
  const programs = `/api/v1/principals/${spender.principalId}/programs`;
  const agents = `/api/v1/principals/${spender.principalId}/agents`;
  const inherited = expectStatus(await client.post(agents, { name: 'Inherits' }), 201);
  t.match(inherited, { program_id: programId, status: 'ACTIVE', trust_level: 'REGISTERED' });
  const second = await addProgram(tenant);
  isFlat(t, await client.post(agents, { name: 'Stray', program_id: second }), [
    422,
    'principal_not_in_program',
  ]);
  for (const each of ['first', 'again']) {
    const answer = expectStatus(await client.post(programs, { program_id: second }), 200);
    t.equal(answer.principal_id, spender.principalId, each);
    t.same(answer.programs.sort(), [programId, second].sort(), each);
  }
  const foreign = await newTenant(stack);
  isFlat(t, await client.post(programs, { program_id: foreign.programId }), [
    422,
    'program_not_owned',
  ]);
  isInvalid(t, await client.post(programs, {}), ['program_id', 'required']);
  isFlat(t, await client.post(agents, { name: 'Which' }), [422, 'principal_not_in_program']);
  const placed = await client.post(agents, { name: 'There', program_id: second });
  t.equal(expectStatus(placed, 201).program_id, second);
  isInvalid(t, await client.post(agents, {}), ['name', 'required']);
  isInvalid(t, await client.post(agents, { name: 'x', capabilities: [] }), ['capabilities']);
  isInvalid(t, await client.post(agents, { name: 'x', capabilities: ['FLY'] }), ['capabilities.0']);

  const mandates = `/api/v1/agents/${placed.body.id}/mandates`;
  const crypto = { chains: ['base'], assets: ['USDC'] };
  isFlat(t, await client.post(mandates, { rails: ['crypto'], limits, crypto }), [
    422,
    'rail_not_enabled',
  ]);
  const before = Date.now();
  const granted = expectStatus(await client.post(mandates, { rails: ['card'], limits }), 201);
  const days = (Date.parse(granted.valid_until) - before) / 86_400_000;
  t.ok(Math.abs(days - 365) < 0.1, 'valid for about a year');
  t.equal(granted.program_id, second);
  const rows: Array<[fields: Fields, field: string]> = [
    [{ rails: [] }, 'rails'],
    [{ rails: ['cash'] }, 'rails.0'],
    [{ limits: undefined }, 'limits'],
    [{ limits: { ...limits, max_daily_amount: undefined } }, 'limits.max_daily_amount'],
    [{ limits: { ...limits, max_daily_amount: 0 } }, 'limits.max_daily_amount'],
    [
      { limits: { ...limits, max_amount_per_transaction: '-1' } },
      'limits.max_amount_per_transaction',
    ],
    [{ limits: { ...limits, currency: 'XYZ' } }, 'limits.currency'],
    [{ rails: ['card', 'crypto'] }, 'crypto'],
    [{ crypto }, 'crypto'],
    [{ allowed_countries: ['US'] }, 'allowed_countries.0'],
    [{ allowed_mccs: ['1'] }, 'allowed_mccs.0'],
    [{ valid_until: 'tomorrow' }, 'valid_until'],
  ];
  for (const [fields, field] of rows) {
    isInvalid(t, await client.post(mandates, { rails: ['card'], limits, ...fields }), [field]);
  }
});

t.test('what does not exist, and what the sandbox alone has', async (t) => {
  const strangers = await newTenant(stack);
  const { principalId, agentId } = await newSpender(stack, strangers);
  for (const id of [nobody, principalId]) {
    const base = `/api/v1/principals/${id}`;
    const missing: [number, string] = [404, 'principal_not_found'];
    isFlat(t, await client.get(`${base}/agents`), missing);
    isFlat(t, await client.post(`${base}/agents`, { name: 'x' }), missing);
    isFlat(t, await client.post(`${base}/programs`, { program_id: programId }), missing);
    isFlat(t, await client.post(`${base}/sandbox-key`), missing);
  }
  for (const id of ['agt_01k5a3v7q8e9f0g1h2j3k4m5n6', agentId]) {
    const answer = await client.post(`/api/v1/agents/${id}/mandates`, { rails: ['card'], limits });
    t.match(answer, { status: 404, body: { error: { code: 'AGENT_NOT_FOUND' } } });
  }
  const live = await newTenant(stack, 'live');
  const spender = await newSpender(stack, live);
  const own = `/api/v1/principals/${spender.principalId}`;
  isFlat(t, await live.client.post(`${own}/sandbox-key`), [403, 'sandbox_only']);
  const simulated = await live.client.post(`${own}/verification/simulate`, { result: 'VERIFIED' });
  isFlat(t, simulated, [403, 'sandbox_only']);
});

t.test('onboarding is all or nothing', async (t) => {
  const body = onboardBody(programId);
  const cases: Array<[Fields, [number, string]]> = [
    [
      { agent: { name: 'x', program_id: 'prg_01k5a3v7q8e9f0g1h2j3k4m5n6' } },
      [422, 'principal_not_in_program'],
    ],
    [
      {
        principal: { ...body.principal, program_ids: [await addProgram(tenant)] },
        mandate: {
          rails: ['crypto'],
          limits,
          crypto: { chains: ['base'], assets: ['USDC'] },
        },
      },
      [422, 'rail_not_enabled'],
    ],
  ];
  for (const [change, refusal] of cases) {
    isFlat(t, await client.post('/api/v1/onboard', { ...body, ...change }), refusal);
  }
  const ceiling = { limit_ceilings: { max_amount_per_transaction: '1.00' } };
  const principal = { ...body.principal, program_ids: [await addProgram(tenant, ceiling)] };
  const above = await client.post('/api/v1/onboard', { ...body, principal });
  isFlat(t, above, [422, 'limit_above_program_ceiling']);
  const created = await client.post('/api/v1/onboard', body);
  t.equal(created.status, 201, 'the reference was not taken by what failed');
  for (const part of ['principal', 'agent', 'mandate']) {
    const answer = await client.post('/api/v1/onboard', { ...body, [part]: undefined });
    isInvalid(t, answer, [part, 'required']);
  }
});

t.test('an Idempotency-Key creates once', async (t) => {
  const spender = await newSpender(stack, tenant);
  const agents = `/api/v1/principals/${spender.principalId}/agents`;
  const mandates = `/api/v1/agents/${spender.agentId}/mandates`;
  const rows: Array<[path: string, body: Fields, other: Fields]> = [
    ['/api/v1/onboard', onboardBody(programId), onboardBody(programId)],
    ['/api/v1/principals', principalBody(), principalBody()],
    [agents, { name: 'One' }, { name: 'Two' }],
    [mandates, { rails: ['card'], limits }, { rails: ['card'], limits, allowed_mccs: ['5411'] }],
  ];
  for (const [path, body, other] of rows) {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await client.post(path, body, { headers });
    t.equal(first.status, 201, `${path}: ${first.text}`);
    const replay = await client.post(path, body, { headers });
    t.equal(replay.status, 201, path);
    t.equal(replay.text, first.text, path);
    isFlat(t, await client.post(path, other, { headers }), [422, 'idempotency_key_reuse']);
  }
  const pending = principalBody({ verification: pendingVerification });
  const own = { headers: { 'idempotency-key': randomUUID() } };
  const started = await client.post('/api/v1/principals', pending, own);
  t.equal((await client.post('/api/v1/principals', pending, own)).text, started.text);
  t.equal((await client.post('/api/v1/principals', pending, own)).status, 202, 'a 202 stays one');
  const foreign = await newTenant(stack);
  const headers = { 'idempotency-key': 'the-same-for-both' };
  const mine = await client.post('/api/v1/principals', principalBody(), { headers });
  const theirs = await foreign.client.post(
    '/api/v1/principals',
    principalBody({ program_ids: [foreign.programId] }),
    { headers },
  );
  t.equal(mine.status, 201);
  t.equal(theirs.status, 201, 'keys are for each Client');

  const racing = { 'idempotency-key': randomUUID() };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => client.post(agents, { name: 'Racer' }, { headers: racing })),
  );
  const made = answers.filter((answer) => answer.status === 201);
  t.ok(made.length >= 1);
  t.equal(new Set(made.map((answer) => answer.text)).size, 1, 'one object');
  for (const answer of answers.filter((each) => each.status !== 201)) {
    isFlat(t, answer, [409, 'idempotency_key_in_progress']);
  }
  const { agents: all } = (await client.get(agents)).body;
  t.equal(all.filter((agent: Fields) => agent.name === 'Racer').length, 1);
  const failed = { 'idempotency-key': randomUUID() };
  t.equal((await client.post(agents, {}, { headers: failed })).status, 422);
  const mended = await client.post(agents, { name: 'Mended' }, { headers: failed });
  t.equal(mended.status, 201, 'a refusal does not use up the key');
});
