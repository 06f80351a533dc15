/** POST /authorize: every reason code that a request can cause, their order, and validation. */
import { randomUUID } from 'node:crypto';
import { until } from '@countersign/runtime/testing';
import t from 'tap';
import { api } from './api.js';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import {
  expectStatus,
  newSpender,
  newTenant,
  onboardBody,
  operator,
  paymentBody,
  type Spender,
} from './tenant.js';

const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0' },
  seed: false,
});
t.teardown(() => stack.stop());
const admin = operator(stack);
const tenant = await newTenant(stack);
const path = '/api/v1/authorize';

type Fields = Record<string, unknown>;

async function decide({ acting, agentId }: Spender, fields: Fields = {}) {
  return expectStatus(await acting.post(path, paymentBody(agentId, fields)), 200);
}

/** A spender whose only mandate has these terms. */
async function withTerms(terms: Fields): Promise<Spender> {
  const spender = await newSpender(stack, tenant);
  await spender.acting.call('DELETE', `/api/v1/mandates/${spender.mandateId}`);
  const body = {
    agent_id: spender.agentId,
    valid_until: new Date(Date.now() + 86_400_000).toISOString(),
    max_amount_per_transaction: '100.00',
    ...terms,
  };
  const mandate = expectStatus(await spender.acting.post('/api/v1/mandates', body), 201);
  return { ...spender, mandateId: mandate.id };
}

const transfer = (fields: Fields = {}) => ({
  rail: 'CRYPTO',
  crypto: { chain: 'base', asset: 'USDC', counterparty: '0xabc', value: '10.00', ...fields },
});

t.test('the terms of a mandate decline by name, and approve what they allow', async (t) => {
  type Row = [terms: Fields, payment: Fields, codes: string[]];
  const rows: Row[] = [
    [{}, {}, []],
    [{}, { amount: '100.00' }, []],
    [{}, { amount: '100.01' }, ['AMOUNT_EXCEEDS_PER_TXN']],
    [{}, { currency: 'EUR' }, ['CURRENCY_MISMATCH']],
    [{ allowed_mccs: ['5411'] }, {}, ['MCC_REQUIRED']],
    [{ allowed_mccs: ['5411'] }, { mcc: '5412' }, ['MCC_NOT_ALLOWED']],
    [{ allowed_mccs: ['5411'] }, { mcc: '5411' }, []],
    [{ blocked_mccs: ['7995'] }, { mcc: '7995' }, ['MCC_BLOCKED']],
    [{ blocked_mccs: ['7995'] }, {}, []],
    [{ allowed_countries: ['USA'] }, {}, ['COUNTRY_REQUIRED']],
    [{ allowed_countries: ['USA'] }, { country: 'FRA' }, ['COUNTRY_NOT_ALLOWED']],
    [{ allowed_countries: ['USA'] }, { country: 'USA' }, []],
    [{ blocked_countries: ['PRK'] }, { country: 'PRK' }, ['COUNTRY_BLOCKED']],
    [{ blocked_countries: ['PRK'] }, {}, []],
    [{ allowed_merchants: ['m-1'] }, {}, ['MERCHANT_ID_REQUIRED']],
    [{ allowed_merchants: ['m-1'] }, { merchant_id: 'm-2' }, ['MERCHANT_NOT_ALLOWED']],
    [{ allowed_merchants: ['m-1'] }, { merchant_id: 'm-1' }, []],
    [{ blocked_merchants: ['m-9'] }, { merchant_id: 'm-9' }, ['MERCHANT_BLOCKED']],
    [{ max_daily_amount: '9.99' }, {}, ['DAILY_AMOUNT_EXCEEDED']],
    [{ max_monthly_amount: '9.99' }, {}, ['MONTHLY_AMOUNT_EXCEEDED']],
    [{ valid_from: new Date(Date.now() + 3_600_000).toISOString() }, {}, ['NO_ACTIVE_MANDATE']],
    [{}, { capability: 'PURCHASE' }, []],
    [{}, { capability: 'TRANSFER' }, ['CAPABILITY_NOT_GRANTED']],
    [{}, transfer(), ['NO_ACTIVE_MANDATE']],
    [{ allowed_chains: ['base'] }, transfer(), []],
    [{ allowed_chains: ['ethereum'] }, transfer(), ['CHAIN_NOT_ALLOWED']],
    [{ allowed_assets: ['EURC'] }, transfer(), ['ASSET_NOT_ALLOWED']],
    [{ allowed_counterparties: ['0xdef'] }, transfer(), ['COUNTERPARTY_NOT_ALLOWED']],
    [
      { allowed_mccs: ['5411'], allowed_countries: ['USA'], max_daily_amount: '50.00' },
      { amount: '100.01', mcc: '5999', country: 'FRA', capability: 'TRANSFER' },
      [
        'CAPABILITY_NOT_GRANTED',
        'MCC_NOT_ALLOWED',
        'COUNTRY_NOT_ALLOWED',
        'AMOUNT_EXCEEDS_PER_TXN',
        'DAILY_AMOUNT_EXCEEDED',
      ],
    ],
  ];
  for (const [terms, payment, codes] of rows) {
    const spender = await withTerms(terms);
    const decided = await decide(spender, payment);
    const name = JSON.stringify([terms, payment]);
    t.same(decided.reason_codes, codes, name);
    t.equal(decided.decision, codes.length > 0 ? 'DECLINE' : 'APPROVE', name);
  }
});

t.test('a payment in another currency is in the log as it was made', async (t) => {
  const yen = await withTerms({ max_amount_per_transaction: '5000', currency: 'JPY' });
  const dollars = await withTerms({});
  for (const [spender, payment] of [
    [yen, { amount: '10.50', currency: 'USD' }],
    [yen, { amount: '0.40', currency: 'USD' }],
    [dollars, { amount: '1500', currency: 'JPY' }],
    [dollars, { amount: '1.235', currency: 'KWD' }],
  ] as const) {
    const { acting, agentId } = spender;
    const decided = await decide(spender, payment);
    t.match(decided, { decision: 'DECLINE', reason_codes: ['CURRENCY_MISMATCH'] });
    const used = spender === yen ? '0' : '0.00';
    t.equal(decided.daily_amount_used, used, 'what is used is in the currency of the mandate');
    const log = await acting.get(`${path}/log/${decided.authorization_id}`);
    t.match(expectStatus(log, 200), payment);
    const list = expectStatus(await acting.get(`${path}/log/agent/${agentId}?limit=1`), 200);
    t.match(list.data, [{ amount: Number(payment.amount), currency: payment.currency }]);
  }
});

t.test('the counts of a mandate, and no reservation by a decline', async (t) => {
  const spender = await withTerms({ max_daily_count: 1, max_monthly_count: 1 });
  t.match(await decide(spender), { decision: 'APPROVE', daily_count_used: 1 });
  t.has(await decide(spender), {
    decision: 'DECLINE',
    reason_codes: ['DAILY_COUNT_EXCEEDED', 'MONTHLY_COUNT_EXCEEDED'],
    daily_count_used: 1,
    monthly_amount_used: '10.00',
  });
});

t.test('who asks: agent, Principal and Program', async (t) => {
  const spender = await newSpender(stack, tenant);
  const { acting, agentId, principalId } = spender;
  const unknown = await decide({ ...spender, agentId: 'agt_01k5a3v7q8e9f0g1h2j3k4m5n6' });
  t.match(unknown, {
    decision: 'DECLINE',
    reason_codes: ['AGENT_NOT_FOUND'],
    kya_score: 0,
    trust_level: 'REGISTERED',
    mandate_id: null,
    attestation: null,
  });
  const did = expectStatus(await acting.get(`/api/v1/agents/${agentId}`), 200).did;
  const other = await newSpender(stack, tenant);
  const by = async (fields: Fields) => decide(spender, { agent_id: undefined, ...fields });
  t.match(await by({ agent_did: did }), { decision: 'APPROVE', agent_id: agentId });
  t.match(await by({ agent_did: did, agent_id: agentId }), { decision: 'APPROVE' });
  const mixed = await by({ agent_did: did, agent_id: other.agentId });
  t.same(mixed.reason_codes, ['AGENT_NOT_FOUND'], 'two names of two agents');
  const nobody = await by({ agent_did: 'did:web:example.com' });
  t.match(nobody, { reason_codes: ['AGENT_NOT_FOUND'], agent_id: null });

  const status = (next: string) =>
    acting.call('PATCH', `/api/v1/agents/${agentId}/status`, {
      body: { status: next, reason: 'test' },
    });
  expectStatus(await status('SUSPENDED'), 200);
  t.match(await decide(spender), { decision: 'DECLINE', reason_codes: ['AGENT_SUSPENDED'] });
  expectStatus(await status('ACTIVE'), 200);
  t.match(await decide(spender), { decision: 'APPROVE' });
  const patch = async (body: Fields) =>
    expectStatus(
      await admin.call('PATCH', `/internal/v1/sandbox/principals/${principalId}`, { body }),
      200,
    );
  await patch({ risk_tier: 'PROHIBITED' });
  t.match((await decide(spender)).reason_codes, ['PRINCIPAL_PROHIBITED']);
  await patch({ risk_tier: 'LOW', verification_status: 'FAILED' });
  t.same((await decide(spender)).reason_codes, ['PRINCIPAL_NOT_VERIFIED']);
  await patch({ verification_status: 'VERIFIED' });
  expectStatus(await status('REVOKED'), 200);
  const revoked = await decide(spender);
  t.equal(revoked.reason_codes[0], 'AGENT_REVOKED');
  t.ok(revoked.reason_codes.includes('NO_ACTIVE_MANDATE'), 'its mandates went with it');

  const paused = await newTenant(stack);
  const member = await newSpender(stack, paused);
  for (const programStatus of ['PAUSED', 'CLOSED']) {
    await admin.call('PATCH', `/internal/v1/sandbox/programs/${paused.programId}`, {
      body: { status: programStatus },
    });
    t.same((await decide(member)).reason_codes, ['PROGRAM_SUSPENDED'], programStatus);
  }
});

t.test('thresholds and triggers step up, or decline', async (t) => {
  type Row = [thresholds: Fields, payment: Fields, decision: string, codes: string[]];
  const rows: Row[] = [
    [{ step_up_amount_threshold: '10.00' }, {}, 'STEP_UP', ['AMOUNT_STEP_UP']],
    [{ step_up_amount_threshold: '10.01' }, {}, 'APPROVE', []],
    [{ authorize_step_up_threshold: 0.9 }, {}, 'STEP_UP', ['KYA_SCORE_STEP_UP']],
    [
      { authorize_min_kya_score: 0.5, authorize_step_up_threshold: 0.63 },
      {},
      'STEP_UP',
      ['KYA_SCORE_STEP_UP'],
    ],
    [{ risk_score_step_up: 0.05 }, {}, 'STEP_UP', ['RISK_SCORE_STEP_UP']],
    [
      { risk_score_step_up: 0.05, risk_score_hard_decline: 0.1 },
      {},
      'DECLINE',
      ['RISK_SCORE_HARD_DECLINE'],
    ],
    [{}, { amount: '666.01' }, 'DECLINE', ['FRAUD_SUSPECTED']],
    [{}, { amount: '666.02' }, 'STEP_UP', ['AMOUNT_STEP_UP']],
  ];
  for (const [thresholds, payment, decision, codes] of rows) {
    const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '1000.00' });
    if (Object.keys(thresholds).length > 0) {
      const put = await spender.acting.call('PUT', '/api/v1/thresholds', { body: thresholds });
      expectStatus(put, 200);
    }
    const decided = await decide(spender, payment);
    const name = JSON.stringify([thresholds, payment]);
    t.match(decided, { decision, reason_codes: codes }, name);
  }
  const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '1000.00' });
  const anomalous = await decide(spender, { amount: '666.03' });
  t.match(anomalous, {
    decision: 'STEP_UP',
    intent_anomaly_score: 0.75,
    intent_anomaly_triggered: true,
  });
  t.ok(anomalous.reason_codes.includes('INTENT_ANOMALY_STEP_UP'));
  const strict = { body: { intent_anomaly_decline: 0.75 } };
  expectStatus(await spender.acting.call('PUT', '/api/v1/thresholds', strict), 200);
  const declined = await decide(spender, { amount: '666.03' });
  t.equal(declined.decision, 'DECLINE');
  t.ok(declined.reason_codes.includes('INTENT_ANOMALY_DECLINE'));
  t.notOk(declined.reason_codes.includes('INTENT_ANOMALY_STEP_UP'), 'only the stricter of two');
});

t.test('a confirmed fraud lowers the score of its agent, down to a decline', async (t) => {
  const spender = await newSpender(stack, tenant);
  const put = { body: { authorize_min_kya_score: 0.5, authorize_step_up_threshold: 0.55 } };
  expectStatus(await spender.acting.call('PUT', '/api/v1/thresholds', put), 200);
  const first = await decide(spender);
  t.equal(first.decision, 'APPROVE');
  const report = await spender.acting.post('/api/v1/outcomes', {
    authorization_id: first.authorization_id,
    outcome_type: 'CONFIRMED_FRAUD',
    reported_at: new Date().toISOString(),
    reported_by: 'ISSUER',
  });
  expectStatus(report, 201);
  const fallen = await until(async () => {
    const next = await decide(spender);
    return next.decision === 'DECLINE' && next;
  });
  t.ok(fallen.reason_codes.includes('KYA_SCORE_BELOW_MINIMUM'), fallen.reason_codes.join());
  t.notOk(fallen.reason_codes.includes('KYA_SCORE_STEP_UP'), 'only the stricter of two');
  t.ok(fallen.kya_score < 0.5);
});

t.test('an agent in a bad zone has less to spend at once', async (t) => {
  const rows = [
    { cts_green_threshold: 0.9, cts_amber_threshold: 0.8, cts_red_threshold: 0.1, multiplier: 0.5 },
    {
      cts_green_threshold: 0.9,
      cts_amber_threshold: 0.8,
      cts_red_threshold: 0.7,
      multiplier: 0.25,
    },
  ];
  for (const { multiplier, ...zones } of rows) {
    const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '100.00' });
    const put = await spender.acting.call('PUT', '/api/v1/thresholds', { body: zones });
    expectStatus(put, 200);
    const within = await decide(spender, { amount: `${multiplier * 100}.00` });
    t.equal(within.decision, 'APPROVE');
    t.match(within, {
      cognitive_limit_active: true,
      cognitive_limit_multiplier: multiplier,
      session_terminate_recommended: multiplier === 0.25,
    });
    const above = await decide(spender, { amount: `${multiplier * 100}.01` });
    t.same(above.reason_codes, ['AMOUNT_EXCEEDS_PER_TXN', 'COGNITIVE_LIMIT_APPLIED']);
    const far = await decide(spender, { amount: '100.01' });
    t.same(far.reason_codes, ['AMOUNT_EXCEEDS_PER_TXN'], 'not the multiplier alone');
  }
});

t.test('a crypto mandate of onboarding has a cap for each transfer', async (t) => {
  const body = onboardBody(tenant.programId);
  const created = expectStatus(
    await tenant.client.post('/api/v1/onboard', {
      ...body,
      mandate: {
        ...body.mandate,
        rails: ['crypto'],
        crypto: { chains: ['base'], assets: ['USDC'], max_transfer: '5.00' },
      },
    }),
    201,
  );
  const acting = api(stack.baseUrl, {
    'x-api-key': tenant.apiKey,
    'x-principal-id': created.principal.id,
  });
  const spender = { acting, agentId: created.agent.id, principalId: '', mandateId: '' };
  const small = await decide(spender, { amount: '5.00', ...transfer({ value: '5' }) });
  t.equal(small.decision, 'APPROVE');
  const large = await decide(spender, { amount: '5.01', ...transfer({ value: '5.01' }) });
  t.same(large.reason_codes, ['AMOUNT_EXCEEDS_PER_TXN']);
  t.same((await decide(spender)).reason_codes, ['NO_ACTIVE_MANDATE'], 'not by card');
});

t.test('what the schema refuses, field by field', async (t) => {
  const { acting, agentId } = await newSpender(stack, tenant);
  const rows: Array<[fields: Fields, field: string]> = [
    [{ agent_id: undefined }, 'agent_id'],
    [{ amount: undefined }, 'amount'],
    [{ amount: '0' }, 'amount'],
    [{ amount: '-1' }, 'amount'],
    [{ amount: '1.001' }, 'amount'],
    [{ amount: 'ten' }, 'amount'],
    [{ currency: 'usd' }, 'currency'],
    [{ currency: 'ZZZ' }, 'currency'],
    [{ amount: '1.5', currency: 'JPY' }, 'amount'],
    [{ intent_context: undefined }, 'intent_context'],
    [{ intent_context: {} }, 'intent_context.task_reference'],
    [{ mcc: '541' }, 'mcc'],
    [{ country: 'US' }, 'country'],
    [{ capability: 'FLY' }, 'capability'],
    [{ rail: 'WIRE' }, 'rail'],
    [{ rail: 'CRYPTO' }, 'crypto'],
    [{ crypto: transfer().crypto }, 'crypto'],
    [transfer({ value: '10.01' }), 'crypto.value'],
    [transfer({ chain: undefined }), 'crypto.chain'],
    [transfer({ asset: undefined }), 'crypto.asset'],
    [transfer({ counterparty: undefined }), 'crypto.counterparty'],
    [transfer({ value: undefined }), 'crypto.value'],
    [transfer({ operation: 'burn' }), 'crypto.operation'],
    [{ ...transfer(), currency: 'EUR' }, 'currency'],
    [{ transaction_id: 'txn_01k5a3v7q8e9f0g1h2j3k4m5n6' }, 'transaction_id'],
    [{ metadata: [] }, 'metadata'],
    [{ surprise: 1 }, 'surprise'],
    [{ idempotency_key: 'short' }, 'idempotency_key'],
  ];
  for (const [fields, field] of rows) {
    const answer = await acting.post(path, paymentBody(agentId, fields));
    const name = JSON.stringify(fields);
    t.equal(answer.status, 422, name);
    const named = answer.body.error.details.errors.map((each: Fields) => each.field);
    t.ok(named.includes(field), `${name} names ${field}: ${named}`);
  }
});

t.test('a key, a reference and a thread', async (t) => {
  const spender = await newSpender(stack, tenant);
  const sibling = await newSpender(stack, tenant);
  const key = randomUUID();
  const first = await decide(spender, { idempotency_key: key });
  t.same(await decide(spender, { idempotency_key: key, amount: 10 }), first, 'the same request');
  t.equal(first.correlation_key, first.transaction_id, 'without a reference');
  const elsewhere = await decide(sibling, { idempotency_key: key });
  t.not(elsewhere.authorization_id, first.authorization_id, 'keys are for each Principal');
  const threaded = await decide(spender, { transaction_id: first.transaction_id });
  t.equal(threaded.transaction_id, first.transaction_id);
  const declined = { idempotency_key: randomUUID(), amount: '500.01' };
  t.same(await decide(spender, declined), await decide(spender, declined), 'a decline too');
});

t.test('reversal, row by row', async (t) => {
  const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '1000.00' });
  const { acting } = spender;
  const reverse = (body: Fields) => acting.post('/api/v1/authorize/reverse', body);
  const key = randomUUID();
  const id = (await decide(spender, { idempotency_key: key })).authorization_id;
  const rows: Array<[body: Fields, answer: Fields]> = [
    [{ amount: '4.00' }, { reversed: true, released_amount: 4, partial: true }],
    [{}, { reversed: true, released_amount: 6, partial: false, already_reversed: false }],
    [{}, { reversed: true, released_amount: 0, already_reversed: true }],
  ];
  for (const [body, answer] of rows) {
    const reversed = expectStatus(await reverse({ authorization_id: id, ...body }), 200);
    t.match(reversed, { authorization_id: id, ...answer });
  }
  const byKey = expectStatus(await reverse({ original_idempotency_key: key }), 200);
  t.match(byKey, { authorization_id: id, already_reversed: true });
  t.has(await decide(spender), { daily_amount_used: '10.00', daily_count_used: 1 });
  const next = (await decide(spender)).authorization_id;
  t.equal((await reverse({ authorization_id: next, amount: '10.01' })).status, 422);
  for (const amount of ['1000.01', '666.02']) {
    const { authorization_id, decision } = await decide(spender, { amount });
    const answer = expectStatus(await reverse({ authorization_id }), 200);
    t.match(answer, { reversed: false, released_amount: 0, already_reversed: false }, decision);
  }
  t.equal((await reverse({})).status, 422);
  t.equal((await reverse({ authorization_id: id, original_idempotency_key: key })).status, 422);
  const missing = await reverse({ authorization_id: 'auth_01k5a3v7q8e9f0g1h2j3k4m5n6' });
  t.match(missing, { status: 404, body: { error: { code: 'NOT_FOUND' } } });
});
