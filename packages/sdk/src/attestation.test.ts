import { errors, exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import { test } from 'tap';
import { remoteKeys, requestHash, verifyAttestation } from './index.js';
import { serve } from './test/service.js';

const issuer = 'https://pay.example.com';
const { publicKey, privateKey } = await generateKeyPair('ES256');
const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
const keys = { keys: [jwk] };
const request = { agent_id: 'agt_1', amount: '19.90', metadata: { left: 'out' } };
const dec = {
  authorization_id: 'auth_1',
  agent_id: 'agt_1',
  mandate_id: 'mnd_1',
  transaction_id: 'txn_1',
  correlation_key: 'txn_1',
};

interface Signed {
  from?: string;
  at?: number;
  header?: Partial<JWTHeaderParameters>;
  jti?: string;
  about?: Record<string, unknown>;
  decided?: 'APPROVE' | 'STEP_UP';
  more?: Record<string, unknown>;
}

/** Signs like the service, with overrides for a test. */
function attest({
  from = issuer,
  at = Date.now() / 1_000,
  header = {},
  jti = 'auth_1',
  about = request,
  decided = 'APPROVE',
  more = {},
}: Signed = {}) {
  const claims = { dec: { ...dec, decision: decided, ...more }, env: 'live', ver: 1 };
  return new SignJWT({ ...claims, req_hash: requestHash(about) })
    .setProtectedHeader({ alg: 'ES256', typ: 'authorization-decision+jwt', kid: 'k1', ...header })
    .setIssuer(from)
    .setJti(jti)
    .setIssuedAt(Math.floor(at))
    .setExpirationTime(Math.floor(at) + 900)
    .sign(privateKey);
}

async function decision(signed: Signed = {}) {
  const jws = await attest(signed);
  const attestation = { jws } as { jws: string } & Record<string, never>;
  return { ...dec, decision: signed.decided ?? ('APPROVE' as const), attestation };
}

test('a decision is verified with the keys alone', async (t) => {
  const approval = await decision();
  const claims = await verifyAttestation(approval as never, keys, { issuer, request });
  t.match(claims, { jti: 'auth_1', dec: { decision: 'APPROVE' } });
  t.match(await verifyAttestation(approval.attestation.jws, keys, { issuer }), { env: 'live' });
  const { authorization_id: id, ...entry } = approval;
  t.match(await verifyAttestation({ ...entry, id } as never, keys, { issuer }), { jti: 'auth_1' });
});

test('what was not signed like that is believed by nobody', async (t) => {
  const approval = await decision();
  const refused = async (code: string, attested: unknown, options = {}) =>
    t.rejects(
      verifyAttestation(attested as never, keys, { issuer, ...options }),
      { name: 'AttestationError', code },
      code,
    );
  await refused('decision_mismatch', { ...approval, decision: 'DECLINE' });
  for (const name of ['agent_id', 'mandate_id', 'transaction_id', 'correlation_key']) {
    await refused('decision_mismatch', { ...approval, [name]: 'another' });
  }
  await refused('decision_mismatch', { ...approval, authorization_id: 'auth_2' });
  await refused('decision_mismatch', await decision({ jti: 'auth_2' }));
  await refused('request_mismatch', approval, { request: { ...request, amount: '1.00' } });
  await refused('not_attested', { ...approval, attestation: null });
  await refused('ERR_JWT_CLAIM_VALIDATION_FAILED', approval, { issuer: `${issuer}/sandbox` });
  await refused('ERR_JWT_CLAIM_VALIDATION_FAILED', await attest({ header: { typ: 'at+jwt' } }));
  await refused('ERR_JWKS_NO_MATCHING_KEY', await attest({ header: { kid: 'k2' } }));
  const [head, body, signature = ''] = approval.attestation.jws.split('.');
  const forged = `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
  await refused('ERR_JWS_SIGNATURE_VERIFICATION_FAILED', forged);
  await refused('ERR_JWS_INVALID', 'nonsense');
});

test('every claim that is relied on is needed, and no algorithm but ES256', async (t) => {
  const now = Math.floor(Date.now() / 1_000);
  const { attestation, ...entry } = await decision();
  const claims = {
    ...{ iss: issuer, jti: 'auth_1', iat: now, exp: now + 900 },
    ...{ dec: { ...dec, decision: 'APPROVE' }, req_hash: requestHash(request) },
  };
  const header = { alg: 'ES256', typ: 'authorization-decision+jwt', kid: 'k1' };
  const sign = (given: object) =>
    new SignJWT({ ...claims, ...given }).setProtectedHeader(header).sign(privateKey);
  const verified = (jws: string) =>
    verifyAttestation({ ...entry, attestation: { ...attestation, jws } } as never, keys, {
      issuer,
    });
  t.match(await verified(await sign({})), { jti: 'auth_1' });
  for (const name of ['jti', 'iat', 'exp', 'dec', 'req_hash']) {
    const code = 'ERR_JWT_CLAIM_VALIDATION_FAILED';
    await t.rejects(verified(await sign({ [name]: undefined })), { code }, name);
  }
  const about = { ...claims.dec, authorization_id: 'auth_2' };
  await t.rejects(verified(await sign({ dec: about })), { code: 'decision_mismatch' });
  const other = await generateKeyPair('EdDSA');
  const published = { keys: [{ ...(await exportJWK(other.publicKey)), kid: 'k2' }] };
  const foreign = await new SignJWT(claims)
    .setProtectedHeader({ ...header, alg: 'EdDSA', kid: 'k2' })
    .sign(other.privateKey);
  const code = 'ERR_JOSE_ALG_NOT_ALLOWED';
  await t.rejects(verifyAttestation(foreign, published, { issuer }), { code });
});

test('a challenge that was denied is verified by what was signed before', async (t) => {
  const { authorization_id: id, ...challenge } = await decision({ decided: 'STEP_UP' });
  const verified = (entry: object, decided = challenge) =>
    verifyAttestation({ ...decided, id, ...entry } as never, keys, { issuer });
  const history = (...decisions: string[]) => ({
    decision: decisions.at(-1),
    decision_history: decisions.map((each) => ({ decision: each })),
  });
  t.match(await verified(history('STEP_UP')), { dec: { decision: 'STEP_UP' } });
  t.match(await verified(history('STEP_UP', 'DECLINE')), { dec: { decision: 'STEP_UP' } });
  const { authorization_id: _, ...approval } = await decision();
  const mismatch = { code: 'decision_mismatch', message: 'Another decision was signed.' };
  await t.rejects(verified(history('STEP_UP', 'DECLINE'), approval), mismatch);
  await t.rejects(verified(history('STEP_UP', 'DECLINE', 'DECLINE')), mismatch);
  await t.rejects(verified(history('APPROVE', 'DECLINE')), mismatch);
  await t.rejects(verified(history('APPROVE', 'DECLINE'), approval), mismatch, 'one that is void');
  await t.rejects(verified(history('STEP_UP', 'APPROVE')), mismatch);
  await t.rejects(verified(history('DECLINE')), mismatch);
  const told = { ...history('STEP_UP', 'DECLINE'), decision: 'APPROVE' };
  await t.rejects(verified(told), mismatch, 'the history alone is not enough');
  const confirmed = { ...history('STEP_UP', 'APPROVE'), decision: 'DECLINE' };
  await t.rejects(verified(confirmed), mismatch, 'nor is the decision alone');
  const other = { ...history('STEP_UP', 'DECLINE'), agent_id: 'agt_2' };
  await t.rejects(verified(other), { message: 'Another agent_id was signed.' });
});

const crypto = { chain: 'base', asset: 'USDC', counterparty: '0xabc', value: '19.9' };
const more = {
  reason_codes: ['AMOUNT_STEP_UP'],
  mandate_hash: 'sha256:00',
  ...{ rail: 'CRYPTO', amount: '19.90', currency: 'USD', merchant_id: 'm-1', crypto },
  ...{ kya_score: 0.6512, trust_level: 'REGISTERED', risk_score: 0.17 },
  ...{ intent_anomaly_score: 0.1, cognitive_limit_multiplier: 0.5 },
  vi: { verified: true, mode: 'IMMEDIATE', reference: null },
};

test('whatever an entry or an answer shows is what was signed', async (t) => {
  const { vi, intent_anomaly_score, cognitive_limit_multiplier, ...common } = more;
  const signed = await decision({ more });
  const verified = (shown: object) => verifyAttestation(shown as never, keys, { issuer });
  const answer = {
    ...{ ...signed, intent_anomaly_score, cognitive_limit_multiplier },
    ...{ reason_codes: more.reason_codes, vi_verified: true, vi_mode: vi.mode },
  };
  t.ok(await verified(answer));
  const { authorization_id: id, ...entry } = { ...signed, ...common, vi_verified: true };
  const nothing = { mcc: null, country: null };
  const transfer = { ...crypto, from_address: null, operation: 'transfer' };
  const full = { ...entry, ...nothing, id, crypto: transfer, merchant_name: 'Books' };
  t.ok(await verified(full));
  t.ok(await verified({ ...full, amount: '19.9' }), 'as a list spells it');
  const changes = {
    ...{ reason_codes: [], mandate_hash: 'sha256:01', rail: 'CARD', amount: '19.91' },
    ...{ currency: 'EUR', merchant_id: null, mcc: '5411', country: 'USA' },
    ...{ kya_score: 0.7, trust_level: 'TRUSTED', risk_score: 0.1, vi_verified: false },
    ...{ intent_anomaly_score: 0, cognitive_limit_multiplier: 1, vi_mode: null },
    crypto: { ...transfer, counterparty: '0xabd' },
  };
  for (const [name, value] of Object.entries(changes)) {
    const shown = name in full ? full : answer;
    const message = `Another ${name} was signed.`;
    await t.rejects(verified({ ...shown, [name]: value }), { code: 'decision_mismatch', message });
  }
  await t.rejects(verified({ ...full, crypto: null }), { code: 'decision_mismatch' });
  const large = '900719925474099.37';
  const { attestation } = await decision({ more: { ...more, amount: large } });
  const rounded = { ...full, attestation, amount: String(Number(large)) };
  t.ok(await verified(rounded), 'with the digits of a JSON number');
});

test('the reasons of a denied challenge are those that were signed', async (t) => {
  const { authorization_id: id, ...challenge } = await decision({ decided: 'STEP_UP', more });
  const { reason_codes } = more;
  const step = { decision: 'STEP_UP', reason_codes };
  const denial = { decision: 'DECLINE', reason_codes: ['STEP_UP_DENIED'] };
  const verified = (history: object[]) => {
    const denied = { ...challenge, id, ...denial, decision_history: history };
    return verifyAttestation(denied as never, keys, { issuer });
  };
  t.ok(await verified([step, denial]));
  const another = [{ ...step, reason_codes: ['POLICY'] }, denial];
  await t.rejects(verified(another), { message: 'Another reason_codes was signed.' });
});

test('it holds for 15 minutes, and for ever when it was signed', async (t) => {
  const old = await attest({ at: 1_700_000_000 });
  await t.rejects(verifyAttestation(old, keys, { issuer }), { code: 'ERR_JWT_EXPIRED' });
  t.ok(await verifyAttestation(old, keys, { issuer, at: 'when signed' }));
  t.ok(await verifyAttestation(old, keys, { issuer, at: new Date(1_700_000_899_000) }));
  const late = { issuer, at: new Date(1_700_000_901_000) };
  await t.rejects(verifyAttestation(old, keys, late), { code: 'ERR_JWT_EXPIRED' });
  for (const at of [new Date(Number.NaN), '2026-11-21' as never]) {
    const wrong = { name: 'ConfigurationError' };
    await t.rejects(verifyAttestation(old, keys, { issuer, at }), wrong, String(at));
  }
});

test('the published keys are fetched once, and again for a key that is new', async (t) => {
  const service = await serve(t, () => ({ body: keys }));
  const client = service.client({ issuer });
  t.ok(await client.verifyAttestation(await attest()));
  t.ok(await client.actingFor('prn_1').verifyAttestation(await attest()));
  t.same(
    service.received.map(({ path, headers }) => [path, headers['x-api-key']]),
    [['/api/v1/.well-known/jwks.json', undefined]],
  );
  const sandbox = await attest({ from: `${service.baseUrl}/sandbox` });
  t.ok(await service.client().verifyAttestation(sandbox), 'the issuer follows from the key');
  for (const clientId of ['svcoc_test_1', 'prn_1']) {
    const oauth = { clientId, clientSecret: 'svcos_1' };
    const client = service.client({ apiKey: undefined, oauth });
    t.ok(await client.verifyAttestation(sandbox), `and from ${clientId}`);
  }
});

test('without an issuer nothing is believed, and a client has its own', async (t) => {
  const service = await serve(t, () => ({ body: keys }));
  const sandbox = await attest({ from: `${service.baseUrl}/sandbox` });
  const unset = { issuer: undefined };
  const live = service.client({ apiKey: 'svc_live_1' });
  await t.rejects(live.verifyAttestation(sandbox, unset), { name: 'AttestationError' });
  t.ok(await service.client().verifyAttestation(sandbox, unset));
  for (const issuer of ['', undefined as never]) {
    await t.rejects(verifyAttestation(sandbox, keys, { issuer }), { name: 'ConfigurationError' });
  }
});

test('a request is compared as the client sent it', async (t) => {
  const client = (await serve(t, () => ({ body: keys }))).client({ issuer });
  const idempotency_key = 'order-1001';
  const decided = {
    ...(await decision({ about: { amount: '20', idempotency_key } })),
    idempotency_key,
  };
  const ofLibrary = { digits: [2, 0], toJSON: () => '20' };
  for (const asked of [
    { amount: 20 },
    { amount: ofLibrary },
    { amount: '20', idempotency_key: undefined },
  ]) {
    t.ok(await client.verifyAttestation(decided as never, { request: asked }));
  }
  const another = { amount: 20, idempotency_key: 'order-1002' };
  const told = { code: 'request_mismatch' };
  await t.rejects(client.verifyAttestation(decided as never, { request: another }), told);
});

test('keys that cannot be fetched are no forgery', async (t) => {
  const jws = await attest();
  for (const given of [{ status: 503 }, { body: '<html>' }, { hangUp: true }]) {
    const service = await serve(t, () => given);
    await t.rejects(verifyAttestation(jws, remoteKeys(service.baseUrl), { issuer }), {
      name: 'UnavailableError',
      code: 'KEYS_UNAVAILABLE',
    });
  }
  const silent = () => Promise.reject(new errors.JWKSTimeout());
  const unfetched = { code: 'KEYS_UNAVAILABLE' };
  await t.rejects(verifyAttestation(jws, silent, { issuer }), unfetched, 'nor those that are late');
  t.throws(() => remoteKeys('http://pay.example.com'), { name: 'ConfigurationError' });
});

test('the published keys come by the fetch of the client', async (t) => {
  const service = await serve(t, () => ({ body: keys }));
  const asked: string[] = [];
  const proxied: typeof fetch = (...request) => {
    asked.push(String(request[0]));
    return fetch(...request);
  };
  await service.client({ issuer, fetch: proxied }).verifyAttestation(await attest());
  t.same(asked, [`${service.baseUrl}/api/v1/.well-known/jwks.json`]);
});

test('the hash of a request is that of docs/attestations.md', (t) => {
  const body = {
    rail: 'CARD',
    agent_id: 'agt_01JZTESTAGENT000000000000',
    amount: '279.99',
    currency: 'USD',
    intent_context: { task_reference: 'TASK-1' },
    merchant_id: 'merchant-uuid-1',
    vi_chain: { left: 'out' },
    runtime_evidence: { left: 'out' },
    metadata: { left: 'out' },
  };
  t.equal(requestHash(body), 'Sa1kRC4FO3qXSjnnN07z8-skKzAVWfm5-iCZelcD31Q');
  t.end();
});
