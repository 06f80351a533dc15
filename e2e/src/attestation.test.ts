import { createHash, randomUUID } from 'node:crypto';
import { canonicalJson } from '@countersign/kernel/canonical';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import t from 'tap';
import { api } from './api.js';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import { expectStatus, newSpender, newTenant, operator, paymentBody } from './tenant.js';

const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0' },
  seed: false,
});
t.teardown(() => stack.stop());
const open = api(stack.baseUrl);
const sandbox = await newTenant(stack);
const live = await newTenant(stack, 'live');

interface Attestation {
  jws: string;
  kid: string;
  jwks_uri: string;
}

/** Verifies like a third party that only knows the address of the service. */
async function verified({ jws, jwks_uri: uri }: Attestation, issuer = stack.baseUrl) {
  const keys = createRemoteJWKSet(new URL(uri));
  const { payload } = await jwtVerify(jws, keys, {
    issuer,
    typ: 'authorization-decision+jwt',
    algorithms: ['ES256'],
  });
  return payload as typeof payload & { dec: Record<string, unknown> };
}

t.test('a third party verifies a decision with nothing but the published keys', async (t) => {
  const { acting, agentId, principalId, mandateId } = await newSpender(stack, live);
  const asked = paymentBody(agentId, { amount: 12.5, mcc: '5411' });
  const sent = { ...asked, metadata: { left: 'out' } };
  const answer = expectStatus(await acting.post('/api/v1/authorize', sent), 200);
  const { dec, ...claims } = await verified(answer.attestation);
  const agent = expectStatus(await acting.get(`/api/v1/agents/${agentId}`), 200);
  t.match(claims, {
    iss: stack.baseUrl,
    sub: agent.did,
    jti: answer.authorization_id,
    env: 'live',
    req_hash: createHash('sha256').update(canonicalJson(asked)).digest('base64url'),
    req_hash_alg: 'sha-256;jcs',
  });
  const entry = expectStatus(
    await acting.get(`/api/v1/authorize/log/${answer.authorization_id}`),
    200,
  );
  t.has(dec, {
    decision: 'APPROVE',
    agent_id: agentId,
    principal_id: principalId,
    mandate_id: mandateId,
    mandate_hash: entry.mandate_hash,
    amount: '12.50',
    currency: 'USD',
    mcc: '5411',
    kya_score: entry.kya_score,
    risk_score: entry.risk_score,
  });
  t.same(entry.attestation, answer.attestation);
  t.notMatch(JSON.stringify({ dec, claims }), /Ada|example\.com|Shopper/, 'nothing personal');
});

t.test('a sandbox decision is none for who trusts the live issuer', async (t) => {
  const { acting, agentId } = await newSpender(stack, sandbox);
  const answer = expectStatus(await acting.post('/api/v1/authorize', paymentBody(agentId)), 200);
  t.match(await verified(answer.attestation, `${stack.baseUrl}/sandbox`), { env: 'sandbox' });
  await t.rejects(verified(answer.attestation), { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' });
});

t.test('a confirmed challenge shows a second attestation in the log', async (t) => {
  const { acting, agentId } = await newSpender(stack, sandbox, {
    max_amount_per_transaction: '1000.00',
  });
  const body = paymentBody(agentId, { amount: '666.02' });
  const challenge = expectStatus(await acting.post('/api/v1/authorize', body), 200);
  const path = `/api/v1/authorize/log/${challenge.authorization_id}`;
  const before = expectStatus(await acting.get(path), 200);
  t.same(before.attestation, challenge.attestation);
  const confirm = `/api/v1/authorize/step-up/${challenge.authorization_id}/confirm`;
  expectStatus(await acting.post(confirm, {}), 200);
  const after = expectStatus(await acting.get(path), 200);
  t.equal(after.decision, 'APPROVE');
  const issuer = `${stack.baseUrl}/sandbox`;
  const first = await verified(challenge.attestation, issuer);
  const second = await verified(after.attestation, issuer);
  t.equal(first.dec.decision, 'STEP_UP', 'still true of its moment');
  t.match(second, { prev: first.jti, dec: { decision: 'APPROVE' }, req_hash: first.req_hash });
  const list = expectStatus(await acting.get(`/api/v1/authorize/log/agent/${agentId}`), 200);
  t.same(list.data[0].attestation, after.attestation);
});

t.test('the operator rotates: new keys at once, old signatures for ever', async (t) => {
  const { acting, agentId } = await newSpender(stack, live);
  const body = paymentBody(agentId, { idempotency_key: randomUUID() });
  const first = await acting.post('/api/v1/authorize', body);
  const rotate = { environment: 'live' };
  const rotated = expectStatus(
    await operator(stack).post('/internal/v1/signing-keys/rotate', rotate),
    200,
  );
  const second = expectStatus(
    await acting.post('/api/v1/authorize', paymentBody(agentId)),
    200,
  ).attestation;
  t.equal(second.kid, rotated.active_kid);
  await verified(second);
  await verified(first.body.attestation);
  const again = await acting.post('/api/v1/authorize', body);
  t.equal(again.text, first.text, 'a replay keeps its first attestation');

  const keys = expectStatus(await open.get('/api/v1/public-keys'), 200);
  t.equal(keys.issuer, stack.baseUrl);
  const story = keys.keys.map((key: { kid: string; env: string; status: string }) => [
    ...[key.env, key.status, key.kid === rotated.active_kid],
  ]);
  t.same(story.sort(), [
    ['live', 'ACTIVE', true],
    ['live', 'NEXT', false],
    ['live', 'RETIRED', false],
    ['sandbox', 'ACTIVE', false],
    ['sandbox', 'NEXT', false],
  ]);
  const trail = expectStatus(
    await operator(stack).get('/internal/v1/audit-events?limit=10'),
    200,
  ).data.find(({ action }: { action: string }) => action === 'signing_key.rotate');
  t.match(trail, { environment: 'live', status: 200 });
});
