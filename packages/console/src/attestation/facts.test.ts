import { readFileSync } from 'node:fs';
import { test } from 'tap';
import type { Entry, Explanation } from '../api/shapes.js';
import { parseExact } from '../exact-json.js';
import { base64url, canonicalDigest, canonicalText, NumberToken } from './canonical.js';
import { compareFacts, compareNames, compareRules, rehashed } from './facts.js';
import { type Grantee, mandateHash } from './mandate-terms.js';
import { isRequestOf } from './request.js';
import type { Claims } from './verify.js';

type Kept = Record<string, unknown>;

const pages = new URL('../../../../docs/', import.meta.url);
const vectors = /```json\n(\[[\s\S]*?\])\n```/.exec(
  readFileSync(new URL('mandate-hash.md', pages), 'utf8'),
)?.[1];

test('the hash of a mandate is made as it is published', async (t) => {
  const published = parseExact(vectors ?? '[]') as Array<{ mandate: Kept; mandate_hash: string }>;
  t.ok(published.length >= 3);
  for (const { mandate, mandate_hash: expected } of published) {
    t.equal(await mandateHash(mandate, mandate as unknown as Grantee), expected);
  }
});

const asked = {
  agent_id: 'agt_01JZTESTAGENT000000000000',
  amount: '279.99',
  currency: 'USD',
  intent_context: { task_reference: 'TASK-1' },
  merchant_id: 'merchant-uuid-1',
  rail: 'CARD',
};

test('the hash of a request is made as it is published', async (t) => {
  const hash = 'Sa1kRC4FO3qXSjnnN07z8-skKzAVWfm5-iCZelcD31Q';
  t.equal(base64url(await canonicalDigest(asked)), hash);
  t.ok(await isRequestOf(asked, hash));
  t.notOk(await isRequestOf({ ...asked, merchant_id: 'merchant-uuid-2' }, hash));
  t.equal(
    canonicalText({ b: [new NumberToken('1e-7'), null], a: '\u20ac"' }),
    '{"a":"€\\"","b":[1e-7,null]}',
  );
});

/** The facts recorded for each of these requests, however it was formatted. */
const kept = {
  ...asked,
  amount: '10.5',
  agent_did: null,
  merchant_name: 'Example Books',
  transaction_given: false,
  transaction_id: 'txn_1',
  idempotency_key: 'order-1',
  intent_context: { task_reference: 'TASK-1', confidence: '0.9', session_id: null },
  references: { network_rrn: null, chain_id: '8453' },
  crypto: null,
};

const { rail: _rail, currency: _currency, ...least } = asked;
const sent = {
  ...least,
  merchant_name: 'Example Books',
  idempotency_key: 'order-1',
  intent_context: { task_reference: 'TASK-1', confidence: new NumberToken('0.9') },
  chain_id: new NumberToken('8453'),
};

async function hashOf(body: Kept): Promise<string> {
  return base64url(await canonicalDigest(body));
}

test('a request is known again however it was spelled, and not once it is changed', async (t) => {
  const spellings = [
    { ...sent, amount: '10.5' },
    { ...sent, amount: '10.50', currency: 'USD' },
    { ...sent, amount: new NumberToken('10.5'), rail: 'CARD' },
    { ...sent, amount: '10.50', currency: 'USD', rail: 'CARD' },
  ];
  for (const body of spellings) {
    const hash = await hashOf(body);
    t.ok(await isRequestOf(kept, hash), canonicalText(body));
    t.notOk(await isRequestOf({ ...kept, merchant_name: 'Other Books' }, hash));
    const context = { ...kept.intent_context, task_reference: 'TASK-2' };
    t.notOk(await isRequestOf({ ...kept, intent_context: context }, hash));
    t.notOk(await isRequestOf({ ...kept, amount: '10.6' }, hash));
  }
  const crypto = { chain: 'base', asset: 'USDC', counterparty: '0xabc', value: '5' };
  const given = { ...crypto, from_address: null, operation: 'transfer' };
  const transfer = { ...kept, rail: 'CRYPTO', crypto: given, transaction_given: true };
  const body = { ...sent, amount: '10.5', rail: 'CRYPTO', transaction_id: 'txn_1' };
  const transferred = await hashOf({ ...body, crypto: { ...crypto, value: '5.00' } });
  t.ok(await isRequestOf(transfer, transferred));
  t.notOk(
    await isRequestOf({ ...transfer, crypto: { ...given, counterparty: '0xabd' } }, transferred),
  );
});

test('a transfer of an asset with many decimals is known again', async (t) => {
  const value = '0.123456789012345678';
  const crypto = { chain: 'base', asset: 'wETH', counterparty: '0xabc', value };
  const hash = await hashOf({ ...sent, amount: '10.50', rail: 'CRYPTO', crypto });
  const given = { ...crypto, from_address: null, operation: 'transfer' };
  t.ok(await isRequestOf({ ...kept, rail: 'CRYPTO', crypto: given }, hash));
  const other = { ...given, value: '0.123456789012345679' };
  t.notOk(await isRequestOf({ ...kept, rail: 'CRYPTO', crypto: other }, hash));
});

const mandate = {
  id: 'mnd_1',
  rails: ['card'],
  currency: 'USD',
  max_amount_per_transaction: '100',
  max_daily_amount: null,
  allowed_mccs: [],
  crypto: null,
  valid_from: '2026-11-21T09:30:00.000Z',
  valid_until: '2027-11-21T09:30:00.000Z',
};
const agent = { id: asked.agent_id, did: 'did:key:z1', principal_id: 'prn_1', program_id: 'prg_1' };
const grantee = { agent_id: agent.id, principal_id: 'prn_1', program_id: 'prg_1' };

const inputs = {
  decided_at: '2026-11-21T12:00:00.987Z',
  environment: 'live',
  agent,
  principal: { id: 'prn_1' },
  payment: { ...kept, authorization_id: 'auth_1', mcc: null, country: null, req_hash: '' },
  mandates: [mandate],
  thresholds: { cognitive_multiplier_red: '0.5' },
};
const explanation = {
  decision: 'DECLINE',
  reproduced: true,
  inputs,
  reason_codes: ['AMOUNT_EXCEEDS_PER_TXN'],
  rules: [{ rule: 'per-transaction', outcome: 'FIRED', reason_codes: ['AMOUNT_EXCEEDS_PER_TXN'] }],
  scores: {
    zone: 'RED',
    kya: { score: '0.35' },
    risk: { score: '0.4' },
    anomaly: { score: '0.1' },
  },
} as unknown as Explanation;

async function claims(): Promise<Claims> {
  return {
    sub: agent.did,
    iat: String(Date.parse('2026-11-21T12:00:00Z') / 1_000),
    env: 'live',
    req_hash: await hashOf({ ...sent, amount: '10.50' }),
    dec: {
      authorization_id: 'auth_1',
      agent_id: agent.id,
      principal_id: 'prn_1',
      mandate_id: 'mnd_1',
      mandate_hash: await mandateHash(mandate, grantee),
      reason_codes: ['AMOUNT_EXCEEDS_PER_TXN'],
      rail: 'CARD',
      amount: '10.50',
      currency: 'USD',
      merchant_id: asked.merchant_id,
      kya_score: '0.35',
      risk_score: '0.4',
      intent_anomaly_score: '0.1',
      cognitive_limit_multiplier: '0.5',
      vi: { verified: false, mode: null, reference: null },
    },
  } as unknown as Claims;
}

async function differing(changed: Kept = {}, over: Partial<Explanation> = {}): Promise<string[]> {
  const signed = await claims();
  const payment = { ...inputs.payment, req_hash: signed.req_hash };
  const found = { ...explanation, inputs: { ...inputs, payment, ...changed }, ...over };
  const made = await rehashed(signed, found);
  return [...compareFacts(signed, found, made), ...compareRules(signed, found)]
    .filter(({ same }) => !same)
    .map(({ name }) => name);
}

test('facts that were changed behind a genuine signature are named', async (t) => {
  t.same(await differing(), []);
  const req_hash = (await claims()).req_hash;
  const paid = (over: Kept) => ({ payment: { ...inputs.payment, req_hash, ...over } });
  const changes: Array<[Kept, string]> = [
    [paid({ amount: '1.5' }), 'amount of the facts'],
    [paid({ merchant_id: 'm-2' }), 'merchant_id of the facts'],
    [paid({ country: 'USA' }), 'country of the facts'],
    [paid({ authorization_id: 'auth_2' }), 'authorization_id of the facts'],
    [paid({ req_hash: 'other' }), 'req_hash'],
    [{ principal: { id: 'prn_2' } }, 'principal_id of the facts'],
    [{ decided_at: '2026-11-22T12:00:00.000Z' }, 'iat of the facts'],
    [{ environment: 'sandbox' }, 'env of the facts'],
    [{ thresholds: { cognitive_multiplier_red: '0.9' } }, 'cognitive_limit_multiplier'],
    [{ intent: { verified: true } }, 'vi.verified of the facts'],
    [{ mandates: [] }, 'mandate_hash of the terms'],
  ];
  for (const [changed, name] of changes) t.same(await differing(changed), [name], name);
  for (const term of ['max_amount_per_transaction', 'max_daily_amount', 'valid_until']) {
    const mandates = [{ ...mandate, [term]: '5000' }];
    t.same(await differing({ mandates }), ['mandate_hash of the terms'], term);
  }
});

test('scores, reasons and rules are those that were signed', async (t) => {
  const scores = { ...explanation.scores, kya: { score: '0.9' } };
  t.same(await differing({}, { scores }), ['kya_score of the parts']);
  t.same(await differing({}, { reason_codes: [] }), ['reason_codes judged anew']);
  const passed = explanation.rules.map((rule) => ({ ...rule, reason_codes: [] }));
  t.same(await differing({}, { rules: passed }), ['reason_codes of the rules']);
});

test('what other rules find today is not held against what was signed', async (t) => {
  const today = { reproduced: false, reason_codes: [], rules: [] };
  t.same(await differing({}, today), []);
  const scores = { ...explanation.scores, kya: { score: '0.9' } };
  t.same(await differing({}, { ...today, scores }), ['kya_score of the parts'], 'all else is');
  const { reproduced: _, ...silent } = explanation;
  const unsaid = { ...silent, reason_codes: [] } as Explanation;
  t.match(
    compareRules(await claims(), unsaid).filter(({ same }) => !same),
    [{ name: 'reason_codes judged anew' }],
    'an answer that does not speak of it proves nothing',
  );
});

test('what a human confirmed has a moment and a reason of its own', async (t) => {
  const signed = await claims();
  signed.dec.reason_codes = ['STEP_UP_CONFIRMED'];
  signed.iat = '0';
  const payment = { ...inputs.payment, req_hash: signed.req_hash };
  const found = { ...explanation, inputs: { ...inputs, payment } };
  const all = [...compareFacts(signed, found, await rehashed(signed, found))];
  t.same(
    [...all, ...compareRules(signed, found)].filter(({ same }) => !same),
    [],
  );
});

test('whether the request is the signed one is said with what was hashed', async (t) => {
  const signed = await claims();
  t.match(await rehashed(signed, explanation), { isRequest: true });
  const payment = { ...inputs.payment, merchant_name: 'Other Books' };
  const changed = { ...explanation, inputs: { ...inputs, payment } };
  t.match(await rehashed(signed, changed), { isRequest: false });
});

test('a name is shown as the request had it, or said to be another', (t) => {
  const payment = { ...inputs.payment, merchant_name: 'Books', client_reference: 'po-1' };
  const found = { ...explanation, inputs: { ...inputs, payment } };
  const shown = { merchant_name: 'Books', client_reference: 'po-1' };
  const differing = (over: Kept) =>
    compareNames({ ...shown, ...over } as unknown as Entry, found).filter(({ same }) => !same);
  t.same(differing({}), []);
  t.match(differing({ merchant_name: 'Other' }), [{ name: 'merchant_name of the facts' }]);
  t.match(differing({ client_reference: null }), [{ name: 'client_reference of the facts' }]);
  t.end();
});
