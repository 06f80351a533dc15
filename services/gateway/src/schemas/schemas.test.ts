import type { FieldError } from '@countersign/kernel/fault';
import { test } from 'tap';
import type { z } from 'zod';
import { parseJson } from '../json.js';
import { fieldErrors } from './field-errors.js';
import { addAgent, createAgent, updateAgentStatus } from './agent.js';
import { amount } from './amount.js';
import { freeObject } from './free-object.js';
import { pageQuerySchema } from './list.js';
import { createMandate, grantMandate } from './mandate.js';
import { reportOutcome, reportOutcomes } from './outcome.js';
import { agentPath } from './path.js';
import { authorize } from './payment.js';
import { registerPrincipal } from './principal.js';
import { reverse } from './reversal.js';
import { reportSettlement } from './settlement.js';
import { putThresholds } from './threshold.js';
import { datetime } from './time.js';
import { createWebhook } from './webhook.js';

type Json = Record<string, unknown>;

/** As the gateway does it: read strictly from text, then checked. */
function read(text: string): unknown {
  return parseJson(Buffer.from(text)).value;
}

function errorsOf(schema: z.ZodType, input: unknown): FieldError[] {
  const result = schema.safeParse(input);
  return result.success ? [] : fieldErrors(result.error, input);
}

/** `field:type` of every error, in order. */
function problems(schema: z.ZodType, input: unknown): string[] {
  return errorsOf(schema, input).map(({ field, type }) => `${field}:${type}`);
}

const payment = {
  agent_id: 'agt_01k5a3v7q8e9f0g1h2j3k4m5n6',
  amount: '10.00',
  intent_context: { task_reference: 'task-1' },
};

test('money is read from its source text, as text or number, and comes out plain', async (t) => {
  const accepted: Array<[source: string, plain: string]> = [
    ['"10.00"', '10'],
    ['10', '10'],
    ['10.00', '10'],
    ['1e2', '100'],
    ['"0.01"', '0.01'],
    ['999999999999999.99', '999999999999999.99'],
    ['"999999999999999.99"', '999999999999999.99'],
    ['0.123456789012345678', '0.123456789012345678'],
  ];
  for (const [source, plain] of accepted) {
    t.equal(amount().parse(read(source)), plain, source);
  }
  const refused: Array<[source: string, type: string]> = [
    ['"0"', 'not_positive'],
    ['0', 'not_positive'],
    ['-1', 'not_positive'],
    ['"-1.00"', 'not_positive'],
    ['"1e2"', 'not_decimal'],
    ['"01.00"', 'not_decimal'],
    ['" 1"', 'not_decimal'],
    ['"1,00"', 'not_decimal'],
    ['""', 'not_decimal'],
    ['true', 'not_decimal'],
    ['null', 'not_decimal'],
    ['[]', 'not_decimal'],
    ['{}', 'not_decimal'],
    ['1e15', 'too_large'],
    ['"1000000000000000"', 'too_large'],
    ['1e300', 'too_large'],
    ['1e-300', 'too_many_decimals'],
    ['0.1234567890123456789', 'too_many_decimals'],
  ];
  for (const [source, type] of refused) {
    t.same(problems(amount(), read(source)), [`:${type}`], source);
  }
});

test('an amount has at most the decimals of its currency', async (t) => {
  const at = (value: string, currency: string) =>
    problems(authorize, { ...payment, amount: value, currency });
  t.same(at('10.00', 'JPY'), [], 'decimals that are zero say nothing');
  t.same(at('10.1', 'JPY'), ['amount:too_many_decimals']);
  t.same(at('10.01', 'USD'), []);
  t.same(at('10.001', 'USD'), ['amount:too_many_decimals']);
  t.same(at('10.001', 'KWD'), []);
  t.same(at('10.0001', 'KWD'), ['amount:too_many_decimals']);
  t.same(at('10', 'XXX'), ['currency:invalid_currency']);
  t.same(at('10', 'usd'), ['currency:invalid_currency']);
  const [error] = errorsOf(authorize, { ...payment, amount: '0.001' });
  t.equal(error?.message, 'has too many decimals: USD has 2');
});

test('a payment: what is required, what is refused', async (t) => {
  const rows: Array<[change: Json, problems: string[]]> = [
    [{}, []],
    [{ agent_id: undefined }, ['agent_id:required']],
    [{ agent_id: undefined, agent_did: 'did:key:z6Mk' }, []],
    [{ agent_id: 'agt_nobody' }, []],
    [{ agent_id: 'prn_01k5a3v7q8e9f0g1h2j3k4m5n6' }, ['agent_id:invalid_format']],
    [{ agent_did: 'did:' }, ['agent_did:invalid_format']],
    [{ amount: undefined }, ['amount:required']],
    [{ intent_context: undefined }, ['intent_context:required']],
    [{ intent_context: {} }, ['intent_context.task_reference:required']],
    [
      { intent_context: { task_reference: 't', confidence: 1.5 } },
      ['intent_context.confidence:too_big'],
    ],
    [{ intent_context: { task_reference: 't', mood: 1 } }, ['intent_context.mood:unrecognized_keys']],
    [{ mcc: '541' }, ['mcc:invalid_format']],
    [{ mcc: 5411 }, ['mcc:invalid_type']],
    [{ country: 'US' }, ['country:invalid_country']],
    [{ country: 'usa' }, ['country:invalid_country']],
    [{ country: 'USA' }, []],
    [{ capability: 'FLY' }, ['capability:invalid_value']],
    [{ rail: 'WIRE' }, ['rail:invalid_value']],
    [{ client_reference: 'x'.repeat(128) }, []],
    [{ client_reference: 'x'.repeat(129) }, ['client_reference:invalid_length']],
    [{ client_reference: '\u{1f600}'.repeat(128) }, []],
    [{ client_reference: '' }, ['client_reference:invalid_length']],
    [{ chain_id: 1.5 }, ['chain_id:invalid_type']],
    [{ surprise: 1, another: 2 }, ['surprise:unrecognized_keys', 'another:unrecognized_keys']],
    [{ metadata: [] }, ['metadata:invalid_type']],
    [{ transaction_id: 'auth_1' }, ['transaction_id:invalid_format']],
  ];
  for (const [change, expected] of rows) {
    t.same(problems(authorize, { ...payment, ...change }), expected, JSON.stringify(change));
  }
  t.match(authorize.parse(payment), { currency: 'USD', rail: 'CARD', amount: '10' });
  t.equal(
    problems(authorize, { surprise: 1, amount: 'x' }).length,
    4,
    'everything that is wrong is told at once',
  );
});

test('an idempotency key has 8 to 128 characters of a small alphabet', async (t) => {
  const at = (key: unknown) => problems(authorize, { ...payment, idempotency_key: key });
  for (const key of ['abcdefgh', 'A-Z_a.z:0', 'x'.repeat(128)]) t.same(at(key), [], key);
  for (const key of ['abcdefg', 'x'.repeat(129), 'with space', 'ünïcödé8', 'a/b/c/d/e', 'abcdefg\n']) {
    t.same(at(key), ['idempotency_key:invalid_format'], key);
  }
});

test('a crypto payment names its transfer; USDC is worth its dollars', async (t) => {
  const crypto = { chain: 'base', asset: 'USDC', counterparty: '0xabc', value: '10' };
  const at = (change: Json, transfer: unknown = crypto) =>
    problems(authorize, { ...payment, rail: 'CRYPTO', crypto: transfer, ...change });
  t.same(at({}), []);
  t.same(at({ crypto: undefined }), ['crypto:crypto_required']);
  t.same(at({ rail: 'CARD' }), ['crypto:crypto_not_allowed']);
  t.same(at({}, {}), [
    'crypto.chain:required',
    'crypto.asset:required',
    'crypto.counterparty:required',
    'crypto.value:required',
  ]);
  t.same(at({}, { ...crypto, value: '10.01' }), ['crypto.value:value_exceeds_amount']);
  t.same(at({}, { ...crypto, value: '9.1234567' }), ['crypto.value:too_many_decimals']);
  t.same(at({ currency: 'EUR' }), ['currency:currency_mismatch']);
  t.same(at({ currency: 'EUR' }, { ...crypto, asset: 'EURC' }), []);
  t.same(at({}, { ...crypto, operation: 'swap' }), ['crypto.operation:invalid_value']);
  t.equal(authorize.parse({ ...payment, rail: 'CRYPTO', crypto }).crypto?.operation, 'transfer');
});

test('an intent chain is judged by shape and size alone', async (t) => {
  const at = (chain: Json) => problems(authorize, { ...payment, vi_chain: chain });
  t.same(at({ l1: 'a~', l2: 'b~' }), []);
  t.same(at({ l2: 'b~' }), ['vi_chain.l1:required']);
  t.same(at({ l1: 'a~', l2: 'b~', version: '9' }), ['vi_chain.version:invalid_value']);
  t.same(at({ l1: 'a~', l2: 'b~', format: 'ap2+dsd-jwt' }), ['vi_chain.format:invalid_value']);
  t.same(at({ l1: 'a~', l2: 'b~', l3_checkout: 'c~' }), ['vi_chain.l2_checkout:missing']);
  t.same(at({ l1: 'a'.repeat(16_385), l2: 'b~' }), ['vi_chain.l1:too_big']);
  t.same(at({ l1: 'a~', l2: 'b~', extra: 'x' }), ['vi_chain.extra:unrecognized_keys']);
  const full = 'a'.repeat(16_384);
  t.same(
    at({ l1: full, l2: full, l3_payment: full, l3_checkout: full, l2_checkout: 'x' }),
    ['vi_chain:too_large'],
  );
});

test('a free object is an object, at most 16 KiB and 8 levels deep', async (t) => {
  const schema = freeObject('Anything.');
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  t.same(problems(schema, nested(8)), []);
  t.same(problems(schema, nested(9)), [':too_deep']);
  t.same(problems(schema, nested(30)), [':too_deep']);
  t.same(problems(schema, { a: 'x'.repeat(16 * 1024 - 8) }), []);
  t.same(problems(schema, { a: 'x'.repeat(16 * 1024 - 7) }), [':too_large']);
  for (const wrong of [null, [], 'text', 1, read('1.00000000000000000001')]) {
    t.same(problems(schema, wrong), [':invalid_type']);
  }
});

const principal = {
  principal_kind: 'personal',
  program_ids: ['prg_01k5a3v7q8e9f0g1h2j3k4m5n6'],
  profile: { display_name: 'Ada', email: 'ada@example.com' },
  verification: {
    type: 'KYC',
    mode: 'client_attested',
    attestation: { attested_by: 'Bank', scope: 'KYC', statement: 'Seen.', evidence_ref: 'c-1' },
  },
};

test('a principal: attestation, phone numbers, and no extras in its profile', async (t) => {
  const rows: Array<[change: Json, problems: string[]]> = [
    [{}, []],
    [
      { verification: { type: 'KYC', mode: 'client_attested' } },
      ['verification.attestation:attestation_required'],
    ],
    [{ verification: { type: 'KYB', mode: 'platform_provider' } }, []],
    [{ program_ids: [] }, ['program_ids:too_small']],
    [{ principal_kind: 'robot' }, ['principal_kind:invalid_value']],
    [{ profile: { display_name: 'Ada' } }, ['profile.email:required']],
    [{ profile: { ...principal.profile, email: 'ada' } }, ['profile.email:invalid_format']],
    [{ profile: { ...principal.profile, shoe: 42 } }, ['profile.shoe:unrecognized_keys']],
    [
      { profile: { ...principal.profile, phone: '4155550123' } },
      ['profile.phone:invalid_phone_format'],
    ],
    [{ profile: { ...principal.profile, phone: '+14155550123' } }, []],
    [{ step_up: { method: 'email' } }, []],
    [{ step_up: { method: 'sms' } }, ['step_up.phone:invalid_phone_format']],
    [{ step_up: { method: 'sms', phone: '+999' } }, ['step_up.phone:invalid_phone_format']],
    [{ step_up: { method: 'sms', phone: '+14155550123' } }, []],
    [
      { step_up: { method: 'sms' }, profile: { ...principal.profile, phone: '+14155550123' } },
      [],
    ],
    [{ step_up: { method: 'pigeon' } }, ['step_up.method:invalid_value']],
  ];
  for (const [change, expected] of rows) {
    t.same(problems(registerPrincipal, { ...principal, ...change }), expected, JSON.stringify(change));
  }
  const everything = problems(registerPrincipal, {
    verification: { type: 'KYC', mode: 'client_attested' },
    step_up: { method: 'sms' },
    metadata: 1,
  });
  for (const expected of [
    'principal_kind:required',
    'profile:required',
    'program_ids:required',
    'verification.attestation:attestation_required',
    'step_up.phone:invalid_phone_format',
    'metadata:invalid_type',
  ]) {
    t.ok(everything.includes(expected), expected);
  }
});

test('agents: capabilities, and a key with its proof or neither', async (t) => {
  t.same(addAgent.parse({ name: 'A' }).capabilities, ['PURCHASE']);
  t.same(addAgent.parse({ name: 'A', capabilities: ['TRANSFER', 'TRANSFER'] }).capabilities, [
    'TRANSFER',
  ]);
  const agent = { display_name: 'A', capabilities: ['PURCHASE'] };
  t.same(problems(createAgent, agent), []);
  t.same(problems(createAgent, { display_name: 'A' }), ['capabilities:required']);
  t.same(problems(createAgent, { ...agent, capabilities: [] }), ['capabilities:too_small']);
  t.same(problems(createAgent, { ...agent, public_key_jwk: { kty: 'EC' } }), [
    'registration_proof:missing',
  ]);
  t.same(problems(createAgent, { ...agent, registration_proof: 'a.b.c' }), [
    'public_key_jwk:missing',
  ]);
  t.same(problems(createAgent, { ...agent, did: 'key:z6Mk' }), ['did:invalid_format']);
  t.same(problems(updateAgentStatus, { status: 'ASLEEP' }), [
    'status:invalid_value',
    'reason:required',
  ]);
  t.same(problems(updateAgentStatus, { status: 'ACTIVE', reason: 'x'.repeat(501) }), [
    'reason:invalid_length',
  ]);
});

test('mandates: limits, rails and crypto terms belong together', async (t) => {
  const limits = { max_amount_per_transaction: '10', max_daily_amount: 20, currency: 'USD' };
  const crypto = { chains: ['base'], assets: ['USDC'] };
  const grant = { rails: ['card'], limits };
  t.same(problems(grantMandate, grant), []);
  t.same(problems(grantMandate, { ...grant, rails: [] }), ['rails:too_small']);
  t.same(problems(grantMandate, { ...grant, rails: ['card', 'crypto'] }), ['crypto:crypto_required']);
  t.same(problems(grantMandate, { ...grant, crypto }), ['crypto:crypto_not_allowed']);
  t.same(problems(grantMandate, { rails: ['crypto'], limits, crypto }), []);
  t.same(problems(grantMandate, { ...grant, limits: { currency: 'USD' } }), [
    'limits.max_amount_per_transaction:required',
    'limits.max_daily_amount:required',
  ]);
  t.same(problems(grantMandate, { ...grant, limits: { ...limits, max_daily_amount: '1.001' } }), [
    'limits.max_daily_amount:too_many_decimals',
  ]);
  t.same(grantMandate.parse({ ...grant, allowed_mccs: ['5411', '5411'] }).allowed_mccs, ['5411']);

  const mandate = {
    agent_id: 'agt_1',
    valid_until: '2027-01-01T00:00:00+02:00',
    max_amount_per_transaction: '10.00',
  };
  t.match(createMandate.parse(mandate), {
    currency: 'USD',
    valid_until: '2026-12-31T22:00:00.000Z',
    max_amount_per_transaction: '10',
  });
  t.same(problems(createMandate, { ...mandate, max_amount_per_transaction: '0' }), [
    'max_amount_per_transaction:not_positive',
  ]);
  t.same(
    problems(createMandate, { ...mandate, currency: 'KWD', max_amount_per_transaction: '1.001' }),
    ['max_amount_per_transaction:too_many_decimals'],
    'two decimals even where the currency has three',
  );
  t.same(problems(createMandate, { ...mandate, currency: 'JPY', max_daily_amount: '1.5' }), [
    'max_daily_amount:too_many_decimals',
  ]);
  t.same(problems(createMandate, { ...mandate, rails: ['card'] }), ['rails:unrecognized_keys']);
});

test('times name their zone and come out in UTC', async (t) => {
  const schema = datetime();
  t.equal(schema.parse('2026-11-21T09:30:00Z'), '2026-11-21T09:30:00.000Z');
  t.equal(schema.parse('2026-11-21T09:30:00.5+01:00'), '2026-11-21T08:30:00.500Z');
  for (const wrong of ['2026-11-21', '2026-11-21T09:30:00', '2026-02-30T00:00:00Z', 'now', 1]) {
    t.not(problems(schema, wrong).length, 0, String(wrong));
  }
});

test('outcomes: rows of a batch are refused for their shape, not for what they say', async (t) => {
  const row = { outcome_type: 'SETTLED', reported_at: '2026-11-21T09:30:00Z', reported_by: 'ISSUER' };
  t.same(problems(reportOutcome, { ...row, tx_hash: '0x1' }), []);
  t.same(problems(reportOutcome, row), ['authorization_id:required']);
  t.same(problems(reportOutcomes, { outcomes: [row, { ...row, outcome_type: 'LOST' }] }), []);
  t.same(problems(reportOutcomes, { outcomes: [row, {}, { ...row, notes: 'x'.repeat(5001) }] }), [
    'outcomes.1.outcome_type:required',
    'outcomes.1.reported_at:required',
    'outcomes.1.reported_by:required',
    'outcomes.2.notes:invalid_length',
  ]);
  t.same(problems(reportOutcomes, { outcomes: Array(501).fill(row) }), ['outcomes:too_big']);
  t.same(problems(reportOutcomes, { outcomes: [] }), ['outcomes:too_small']);
});

test('the rest: reversal, settlement, webhooks, thresholds, ids, pages', async (t) => {
  t.same(problems(reverse, {}), ['authorization_id:required']);
  t.same(problems(reverse, { authorization_id: 'auth_1' }), []);
  t.same(problems(reverse, { original_idempotency_key: 'abcdefgh', amount: 5.5 }), []);
  t.same(problems(reverse, { authorization_id: 'auth_1', original_idempotency_key: 'abcdefgh' }), [
    'authorization_id:ambiguous',
  ]);

  const report = { authorization_id: 'auth_1', tx_hash: `0x${'AB'.repeat(32)}` };
  t.match(reportSettlement.parse(report), { chain: 'base', tx_hash: `0x${'ab'.repeat(32)}` });
  t.same(problems(reportSettlement, { ...report, tx_hash: '0x12', from_address: 'x', value_raw: 1 }), [
    'tx_hash:invalid_format',
    'from_address:invalid_format',
    'value_raw:invalid_type',
  ]);

  const webhook = { url: 'https://example.com/', event_types: ['*', 'cts.red'] };
  t.same(problems(createWebhook, webhook), []);
  t.same(problems(createWebhook, { ...webhook, event_types: [] }), ['event_types:too_small']);
  t.same(problems(createWebhook, { ...webhook, event_types: ['nothing'] }), [
    'event_types.0:invalid_value',
  ]);
  t.same(problems(createWebhook, { ...webhook, url: `https://e.com/${'x'.repeat(2048)}` }), [
    'url:too_big',
  ]);

  t.same(problems(putThresholds, { authorize_min_kya_score: null, velocity_burst_count: 5 }), []);
  t.same(problems(putThresholds, { authorize_min_kya_score: 0.6, nothing: 1 }), [
    'authorize_min_kya_score:too_big',
    'nothing:unrecognized_keys',
  ]);
  t.same(problems(putThresholds, { verified_min_successful_txns: 1.5 }), [
    'verified_min_successful_txns:invalid_type',
  ]);
  t.match(putThresholds.parse({ step_up_amount_threshold: 500 }), {
    step_up_amount_threshold: '500',
  });

  t.same(problems(agentPath, { agent_id: 'agt_unknown' }), []);
  t.same(problems(agentPath, { agent_id: 'agt_../etc' }), ['agent_id:invalid_format']);
  t.same(pageQuerySchema.parse({}), { limit: 25 });
  t.same(pageQuerySchema.parse({ limit: '100', other: 'ignored' }), { limit: 100 });
  for (const limit of ['0', '101', '-1', '1.5', 'x', '', ['1', '2']]) {
    t.equal(errorsOf(pageQuerySchema, { limit })[0]?.field, 'limit', String(limit));
  }
});
