import { test } from 'tap';
import type { z } from 'zod';
import { errorsOf, problems } from '../test/problems.js';
import { addAgent, createAgent, updateAgentStatus } from './agent.js';
import { pageQuerySchema } from './list.js';
import { asset, chain, counterparty, createMandate, grantMandate } from './mandate.js';
import { reportOutcome, reportOutcomes } from './outcome.js';
import { agentPath } from './path.js';
import { mcc } from './place.js';
import { contact, registerPrincipal } from './principal.js';
import { reverse } from './reversal.js';
import { reportSettlement } from './settlement.js';
import { denyStepUp, verifyOtp } from './step-up.js';
import { putThresholds } from './threshold.js';
import { datetime } from './time.js';
import { viChain } from './vi-chain.js';
import { createWebhook } from './webhook.js';

type Json = Record<string, unknown>;

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
    [
      { verification: { type: 'KYC', mode: 'client_attested', attestation: null } },
      ['verification.attestation:invalid_type', 'verification.attestation:attestation_required'],
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
    [{ step_up: { method: 'sms' }, profile: { ...principal.profile, phone: '+14155550123' } }, []],
    [{ step_up: { method: 'pigeon' } }, ['step_up.method:invalid_value']],
  ];
  for (const [change, expected] of rows) {
    t.same(
      problems(registerPrincipal, { ...principal, ...change }),
      expected,
      JSON.stringify(change),
    );
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

test('what must be written in ASCII is refused in these words', async (t) => {
  const webhook = { url: 'https://a.io', event_types: ['*'] };
  const ofUrl = (url: string) => errorsOf(createWebhook, { ...webhook, url })[0]?.message;
  const ascii = 'must be in ASCII: its host in punycode, its path percent-encoded';
  t.equal(ofUrl('https://exämple.com/hook'), ascii);
  t.equal(ofUrl('https://example.com/ü'), ascii);
  t.equal(ofUrl('https://xn--exmple-cua.com/%C3%BC'), undefined);
  t.equal(ofUrl('https://example.com/a b'), 'must be a URL');
  const ofEmail = (email: string) => {
    const profile = { ...principal.profile, email };
    return errorsOf(registerPrincipal, { ...principal, profile })[0]?.message;
  };
  t.equal(ofEmail('zoë@example.com'), 'must be an e-mail address in ASCII');
  t.equal(ofEmail('ada@exämple.com'), 'must be an e-mail address in ASCII');
  t.equal(ofEmail('ada@xn--exmple-cua.com'), undefined);
  t.equal(ofEmail('ada@xn--80a1acny.xn--p1ai'), undefined);
  t.equal(ofEmail('ada'), 'must be an e-mail address');
});

test('an e-mail address is what mail can be sent to', async (t) => {
  const rows: Array<[address: string, isOne: boolean]> = [
    ['ada.lovelace+shop@mail.example.com', true],
    ["!#$%&'*+/=?^_`{|}~-@example.com", true],
    ['ada@example.c0m', true],
    ['ada@localhost', false],
    ['ada@-example.com', false],
    ['ada@example..com', false],
    [`ada@${'a'.repeat(64)}.com`, false],
    ['.ada@example.com', false],
    ['ada.@example.com', false],
    ['ada..lovelace@example.com', false],
    ['ada lovelace@example.com', false],
    ['ada,eve@example.com', false],
    ['ada@eve@example.com', false],
    ['ada@example.com\n', false],
    ['@example.com', false],
  ];
  for (const [email, isOne] of rows) {
    const found = problems(contact, { profile: { ...principal.profile, email } });
    t.same(found, isOne ? [] : ['profile.email:invalid_format'], JSON.stringify(email));
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
  for (const did of ['did:example::abc', 'did:example:a::b', 'did:example:a%20b:c']) {
    t.same(problems(createAgent, { ...agent, did }), [], did);
  }
  for (const did of ['key:z6Mk', 'did:example:', 'did:example:a:', 'did:example:%2', 'did:a:b#c']) {
    t.same(problems(createAgent, { ...agent, did }), ['did:invalid_format'], did);
  }
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
  t.same(problems(grantMandate, { ...grant, rails: ['card', 'crypto'] }), [
    'crypto:crypto_required',
  ]);
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
  t.has(createMandate.parse(mandate), {
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

test('a time may leave out zero seconds, and the colon or the minutes of its offset', async (t) => {
  const schema = datetime();
  for (const [short, spelledOut] of [
    ['2026-11-25T10:00Z', '2026-11-25T10:00:00Z'],
    ['2026-11-25T10:00+05:30', '2026-11-25T10:00:00+05:30'],
    ['2026-11-25T10:00+0530', '2026-11-25T10:00:00+05:30'],
    ['2026-11-25T10:00-05', '2026-11-25T10:00:00-05:00'],
    ['2026-11-25T10:00:01+0000', '2026-11-25T10:00:01Z'],
    ['2026-11-25T10:00:01.123456-0330', '2026-11-25T10:00:01.123-03:30'],
    ['2026-11-25T10:00:01+00', '2026-11-25T10:00:01Z'],
  ] as const) {
    t.equal(schema.parse(short), schema.parse(spelledOut), short);
  }
  for (const wrong of [
    '2026-11-25T10:00',
    '2026-11-25T10Z',
    '2026-11-25T1000Z',
    '2026-11-25T10:00.5Z',
    '2026-11-25T10:00:Z',
    '2026-11-25T10:60Z',
    '2026-11-25T24:00Z',
    '2026-02-30T10:00Z',
    '2026-11-25 10:00Z',
    '2026-11-25T10:00z',
    '2026-11-25T10:00Z\n',
    '2026-11-25T10:00+24',
    '2026-11-25T10:00+0060',
    '2026-11-25T10:00+5',
    '2026-11-25T10:00+053',
    '2026-11-25T10:00+05:',
    '2026-11-25T10:00Z+00',
  ]) {
    t.same(problems(schema, wrong), [':invalid_format'], wrong);
  }
});

test('a time outside the years 1 to 9999 in UTC is refused, by its own type', async (t) => {
  const schema = datetime();
  t.equal(schema.parse('0001-01-01T00:00:00Z'), '0001-01-01T00:00:00.000Z');
  t.equal(schema.parse('0000-12-31T23:00:00-01:00'), '0001-01-01T00:00:00.000Z');
  t.equal(schema.parse('9999-12-31T23:59:59.999Z'), '9999-12-31T23:59:59.999Z');
  for (const wrong of [
    '0000-06-01T00:00:00Z',
    '0001-01-01T00:00:00+02:00',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-02:00',
  ]) {
    t.same(problems(schema, wrong), [':out_of_range'], wrong);
  }
});

test('outcomes: rows of a batch are refused for their shape, not for what they say', async (t) => {
  const row = {
    outcome_type: 'SETTLED',
    reported_at: '2026-11-21T09:30:00Z',
    reported_by: 'ISSUER',
  };
  t.same(problems(reportOutcome, { ...row, tx_hash: '0x1' }), []);
  t.same(problems(reportOutcome, row), ['authorization_id:required']);
  t.same(problems(reportOutcomes, { outcomes: [row, { ...row, outcome_type: 'LOST' }] }), []);
  t.same(problems(reportOutcomes, { outcomes: [row, { ...row, outcome_type: '' }] }), []);
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
  t.same(
    problems(reportSettlement, { ...report, tx_hash: '0x12', from_address: 'x', value_raw: 1 }),
    ['tx_hash:invalid_format', 'from_address:invalid_format', 'value_raw:invalid_type'],
  );

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
  t.has(putThresholds.parse({ step_up_amount_threshold: 500 }), {
    step_up_amount_threshold: '500',
  });

  const [finer] = errorsOf(putThresholds, { new_merchant_step_up_amount: '50.12345' });
  t.match(finer, { message: 'must have at most 4 decimals', type: 'too_many_decimals' });
  t.same(problems(putThresholds, { new_merchant_step_up_amount: '50.12340' }), []);

  t.same(problems(agentPath, { agent_id: 'agt_unknown' }), []);
  t.same(problems(agentPath, { agent_id: 'agt_../etc' }), ['agent_id:invalid_format']);
  t.same(pageQuerySchema.parse({}), { limit: 25 });
  t.same(pageQuerySchema.parse({ limit: '100', other: 'ignored' }), { limit: 100 });
  for (const limit of ['0', '101', '-1', '1.5', 'x', '', ['1', '2']]) {
    t.equal(errorsOf(pageQuerySchema, { limit })[0]?.field, 'limit', String(limit));
  }
});

test('a text with a maximum only may be empty', async (t) => {
  const authorization_id = 'auth_01k5a3v7q8e9f0g1h2j3k4m5n6';
  const reported = { reported_at: '2026-11-21T09:30:00Z', reported_by: 'ISSUER' };
  const outcome = { ...reported, authorization_id, outcome_type: 'SETTLED' };
  t.same(problems(denyStepUp, { reason: '' }), []);
  t.same(problems(denyStepUp, { reason: 'x'.repeat(501) }), ['reason:invalid_length']);
  t.same(problems(reverse, { authorization_id, reason: '' }), []);
  t.same(problems(reportOutcome, { ...outcome, notes: '', external_reference_id: '' }), []);
  t.same(problems(createWebhook, { url: 'https://a.io', event_types: ['*'], description: '' }), []);
  const status = { status: 'ACTIVE', reason: '' };
  t.same(problems(updateAgentStatus, status), ['reason:invalid_length'], 'here 1 is the minimum');
});

test('a text of a fixed form is that form from its first character to its last', async (t) => {
  const { authorization_id, tx_hash, from_address, to_address, value_raw } = reportSettlement.shape;
  const forms: Array<[schema: z.ZodType, sound: string, foreign?: string]> = [
    [chain, 'base'],
    [asset, 'USDC'],
    [counterparty, '0x52908400098527886E0F7030069857D2E4169EE7'],
    [authorization_id, 'auth_01k5a3v7q8e9f0g1h2j3k4m5n6'],
    [tx_hash, `0x${'ab'.repeat(32)}`, '0'],
    [from_address, `0x${'ab'.repeat(20)}`, '0'],
    [to_address, `0x${'ab'.repeat(20)}`, '0'],
    [value_raw, '10000000', 'f'],
    [mcc, '5411', '0'],
    [verifyOtp.shape.code, '000000', '0'],
    [viChain.shape.l1, 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln~'],
  ];
  for (const [schema, sound, foreign = ' '] of forms) {
    t.same(problems(schema, sound), []);
    for (const more of [`${foreign}${sound}`, `${sound}${foreign}`, `${sound}\n`]) {
      t.same(problems(schema, more), [':invalid_format'], more);
    }
  }
});
