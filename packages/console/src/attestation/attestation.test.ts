import { CompactSign, exportJWK, generateKeyPair } from 'jose';
import { test } from 'tap';
import type { Entry } from '../api/shapes.js';
import { compareClaims } from './compare.js';
import { verifySignature } from './verify.js';

const issuer = 'https://api.example.com';
const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
const { kty = '', crv = '', x = '', y = '' } = await exportJWK(publicKey);
const jwk = { kty, crv, x, y, kid: 'key-1' };
const story = { kid: 'key-1', env: 'live', status: 'RETIRED', revoked_at: null };
const published = { keySet: { keys: [jwk] }, publicKeys: { issuer, keys: [story] } };

const dec = {
  authorization_id: 'auth_1',
  transaction_id: 'txn_1',
  correlation_key: 'order-1',
  decision: 'STEP_UP',
  reason_codes: ['AMOUNT_STEP_UP'],
  agent_id: 'agt_1',
  principal_id: 'prn_1',
  mandate_id: 'mnd_1',
  mandate_hash: 'sha256:00',
  rail: 'CARD',
  amount: '10.50',
  currency: 'USD',
  mcc: '5411',
  kya_score: 0.6512,
  trust_level: 'REGISTERED',
  risk_score: 0.17,
  vi: { verified: false, mode: null, reference: null },
};
const iat = Date.parse('2026-11-21T12:00:00Z') / 1_000;
const claims = { iss: issuer, sub: 'did:key:z1', jti: 'auth_1', iat, env: 'live', dec };

const step = {
  decision: 'STEP_UP',
  at: '2026-11-21T12:00:00.987Z',
  by: 'system',
  reason_codes: ['AMOUNT_STEP_UP'],
};
const entry = {
  ...dec,
  id: 'auth_1',
  merchant_id: null,
  country: null,
  kya_score: '0.6512',
  risk_score: '0.17',
  vi_verified: false,
  decision_history: [step],
} as unknown as Entry;

async function sign(payload: unknown, header: Record<string, string> = {}): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(payload));
  const typ = 'authorization-decision+jwt';
  return new CompactSign(bytes)
    .setProtectedHeader({ alg: 'ES256', typ, kid: 'key-1', ...header })
    .sign(privateKey);
}

async function signedClaims() {
  const signature = await verifySignature({ jws: await sign(claims) }, published);
  if (signature.state !== 'valid') throw new Error(signature.state);
  return signature.claims;
}

const live = { environment: 'live', keyEnvironment: 'live' } as const;
const differing = (given: Awaited<ReturnType<typeof signedClaims>>, over: object = {}) =>
  compareClaims(given, { ...live, entry, issuer, facts: null, ...over })
    .filter(({ same }) => !same)
    .map(({ name }) => name);

test('what a published key signed is valid, also with a key that signs no more', async (t) => {
  const jws = await sign(claims);
  t.match(await verifySignature({ jws }, published), { state: 'valid', kid: 'key-1' });
  t.same(differing(await signedClaims()), []);
});

test('a text that was changed after it was signed is invalid', async (t) => {
  const [header, , signature] = (await sign(claims)).split('.');
  const forged = btoa(JSON.stringify({ ...claims, dec: { ...dec, amount: '1.00' } }));
  const jws = [header, forged.replace(/=+$/, ''), signature].join('.');
  t.match(await verifySignature({ jws }, published), { state: 'invalid' });
});

test('a token of another kind is none, although the same key signed it', async (t) => {
  const jws = await sign(claims, { typ: 'at+jwt' });
  t.match(await verifySignature({ jws }, published), { state: 'invalid' });
});

test('what is no token is invalid, and not an error of the page', async (t) => {
  for (const jws of [
    '',
    'x.y',
    'x.y.z',
    `${btoa('{"kid":"key-1"}')}.e30.c2ln`,
    'bnVsbA.e30.c2ln',
  ]) {
    t.match(await verifySignature({ jws }, published), { state: 'invalid' }, jws);
  }
});

test('a key that is not published is unknown, one that was revoked is said to be so', async (t) => {
  const jws = await sign(claims);
  const gone = { ...published, keySet: { keys: [] } };
  t.same(await verifySignature({ jws }, gone), { state: 'key-unknown', kid: 'key-1' });
  const token = { ...published, publicKeys: { issuer, keys: [] } };
  t.match(await verifySignature({ jws }, token), { state: 'key-unknown' }, 'a key of tokens');
  const revokedAt = '2026-11-21T12:00:00.000Z';
  const keys = [{ ...story, revoked_at: revokedAt }];
  const revoked = { ...gone, publicKeys: { issuer, keys } };
  const expected = { state: 'key-revoked', kid: 'key-1', revokedAt };
  t.same(await verifySignature({ jws }, revoked), expected);
});

test('whatever is shown otherwise than it was signed is named', async (t) => {
  const signed = await signedClaims();
  const changes = {
    amount: '10.51',
    currency: 'EUR',
    agent_id: 'agt_2',
    mandate_hash: 'sha256:01',
    risk_score: '0.18',
    country: 'USA',
  };
  t.same(differing(signed, { entry: { ...entry, vi_verified: true } }), ['vi.verified']);
  for (const [name, value] of Object.entries(changes)) {
    t.same(differing(signed, { entry: { ...entry, [name]: value } }), [name]);
  }
  t.same(differing(signed, { environment: 'sandbox' }), ['iss', 'env', 'env of the key']);
  t.same(differing(signed, { keyEnvironment: 'sandbox' }), ['env of the key']);
  t.same(
    differing(signed, { entry: { ...entry, amount: '10.5' } }),
    [],
    'one amount, two spellings',
  );
});

const denial = {
  decision: 'DECLINE',
  at: '2026-11-21T12:03:00.000Z',
  by: 'prn_1',
  reason_codes: ['STEP_UP_DENIED'],
};
const inHistory = ['decision in the history', 'reason_codes in the history'];

test('a denial is not signed: the challenge before it is what is compared', async (t) => {
  const signed = await signedClaims();
  const { decision, reason_codes } = denial;
  const denied = { ...entry, decision, reason_codes, decision_history: [step, denial] };
  t.same(differing(signed, { entry: denied }), []);
  t.same(differing(signed, { entry: { ...denied, decision_history: [denial] } }), [
    'iat',
    'decision',
    'reason_codes',
    ...inHistory,
  ]);
});

test('nothing but a denial may follow what was signed', async (t) => {
  const signed = await signedClaims();
  const approval = { ...denial, decision: 'APPROVE', reason_codes: [] };
  const { decision, reason_codes } = approval;
  t.same(
    differing(signed, { entry: { ...entry, decision, reason_codes } }),
    ['decision', 'reason_codes'],
    'a record that says otherwise than its history',
  );
  const history = { decision_history: [step, approval] };
  t.same(differing(signed, { entry: { ...entry, ...history } }), ['iat', ...inHistory]);
  t.same(differing(signed, { entry: { ...entry, decision, reason_codes, ...history } }), [
    'iat',
    'decision',
    'reason_codes',
    ...inHistory,
  ]);
});

test('a decision of another day is not the one that was signed', async (t) => {
  const later = { ...step, at: '2026-11-22T12:00:00.000Z' };
  const found = differing(await signedClaims(), { entry: { ...entry, decision_history: [later] } });
  t.same(found, ['iat']);
  const confirmed = { ...(await signedClaims()), prev: 'auth_1' };
  const ofConfirmed = differing(confirmed, { entry: { ...entry, decision_history: [later] } });
  t.same(ofConfirmed, [], 'a confirmation has a moment of its own');
  const timeless = { ...(await signedClaims()), iat: 'soon' };
  t.same(differing(timeless), ['iat'], 'and no error of the page');
});

test('an approval may be recorded at the beginning of the day after it was signed', async (t) => {
  const signed = await signedClaims();
  const found = (iat: string, at: string) =>
    differing(
      { ...signed, iat: String(Date.parse(iat) / 1_000) },
      { entry: { ...entry, decision_history: [{ ...step, at }] } },
    );
  const nextDay = '2026-11-22T00:00:00.000Z';
  t.same(found('2026-11-21T23:59:59Z', nextDay), []);
  t.same(found('2026-11-21T23:59:00Z', nextDay), [], 'by two clocks that are a minute apart');
  t.same(found('2026-11-21T23:58:59Z', nextDay), ['iat']);
  t.same(found('2026-11-22T00:00:01Z', nextDay), ['iat'], 'never before it was signed');
  t.same(found('2026-11-21T23:59:59Z', '2026-11-22T00:00:00.001Z'), ['iat']);
  t.same(found('2026-11-21T22:59:59Z', '2026-11-21T23:00:00.000Z'), ['iat'], 'of another hour');
});
