/** What credentials open whose access is less than full. */
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
  type Tenant,
} from './tenant.js';

const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0' },
  seed: false,
});
t.teardown(() => stack.stop());
const base = stack.baseUrl;

async function keyWith({ clientId }: Tenant, access: string): Promise<string> {
  const path = `/internal/v1/clients/${clientId}/credentials`;
  const body = { environment: 'sandbox', kind: 'api_key', access };
  return expectStatus(await operator(stack).post(path, body), 201).api_key;
}

t.test('access read: everything is seen, and nothing is changed', async (t) => {
  const tenant = await newTenant(stack);
  const spender = await newSpender(stack, tenant);
  const { agentId, mandateId, principalId } = spender;
  const key = await keyWith(tenant, 'read');
  const reader = api(base, { 'x-api-key': key, 'x-principal-id': principalId });
  const log = `/api/v1/authorize/log/agent/${agentId}`;
  for (const path of ['/api/v1/agents', `/api/v1/mandates/${mandateId}`, log]) {
    expectStatus(await reader.get(path), 200);
  }
  const simulated = await reader.post('/api/v1/authorize/simulate', paymentBody(agentId));
  t.match(expectStatus(simulated, 200), { decision: 'APPROVE' });
  const preview = `/api/v1/thresholds/preview?agent_id=${agentId}`;
  expectStatus(await reader.post(preview, { risk_score_step_up: 0.5 }), 200);
  const changes: Array<[method: string, path: string, body?: unknown]> = [
    ['POST', '/api/v1/authorize', paymentBody(agentId)],
    ['POST', '/api/v1/onboard', onboardBody(tenant.programId)],
    ['PATCH', `/api/v1/agents/${agentId}/status`, { status: 'REVOKED', reason: 'test' }],
    ['DELETE', `/api/v1/mandates/${mandateId}`],
    ['DELETE', '/api/v1/thresholds'],
  ];
  for (const [method, path, body] of changes) {
    const refused = await reader.call(method, path, { body });
    t.equal(refused.status, 403, path);
    const needed = path === '/api/v1/authorize' ? 'spend' : 'full';
    const message = `needs a credential with access ${needed}`;
    const why = [{ field: '', type: 'read_access', message }];
    t.same(refused.body.error.details.errors, why, path);
  }
  t.equal(expectStatus(await reader.get(log), 200).data.length, 0);
  const paid = await spender.acting.post('/api/v1/authorize', paymentBody(agentId));
  t.match(expectStatus(paid, 200), { decision: 'APPROVE' }, 'by a key that may');
});

t.test('access spend: an agent pays within its mandate, and frees itself of nothing', async (t) => {
  const tenant = await newTenant(stack);
  const { acting, ...spender } = await newSpender(stack, tenant);
  const { agentId, mandateId, principalId } = spender;
  const key = await keyWith(tenant, 'spend');
  const own = api(base, { 'x-api-key': key, 'x-principal-id': principalId });
  const paid = expectStatus(await own.post('/api/v1/authorize', paymentBody(agentId)), 200);
  t.match(paid, { decision: 'APPROVE' });
  const amount = '100000.00';
  const beyond = await own.post('/api/v1/authorize', paymentBody(agentId, { amount }));
  const challenge = `/api/v1/authorize/step-up/${beyond.body.authorization_id}`;
  expectStatus(await own.get(`/api/v1/mandates/${mandateId}/budget`), 200);
  const until = new Date(Date.now() + 86_400_000).toISOString();
  const limits = { agent_id: agentId, valid_until: until, max_amount_per_transaction: amount };
  const freedoms: Array<[method: string, path: string, body?: unknown]> = [
    ['POST', '/api/v1/mandates', limits],
    ['POST', `/api/v1/agents/${agentId}/mandates`, limits],
    ['PATCH', `/api/v1/agents/${agentId}/status`, { status: 'ACTIVE', reason: 'test' }],
    ['POST', `${challenge}/confirm`, {}],
    ['POST', `${challenge}/verify-otp`, { code: '000000' }],
    ['POST', '/api/v1/authorize/reverse', { authorization_id: paid.authorization_id }],
    ['POST', '/api/v1/outcomes', { authorization_id: paid.authorization_id, outcome: 'SETTLED' }],
    ['PUT', '/api/v1/thresholds', { risk_score_step_up: 1 }],
    ['POST', `/api/v1/principals/${principalId}/sandbox-key`, {}],
  ];
  for (const [method, path, body] of freedoms) {
    const refused = await own.call(method, path, { body });
    const [why] = expectStatus(refused, 403).error?.details.errors ?? refused.body.errors;
    t.match(why, { type: 'spend_access', message: 'needs a credential with access full' }, path);
  }
  const mandates = await acting.get(`/api/v1/mandates/agent/${agentId}`);
  t.equal(expectStatus(mandates, 200).total, 1, 'nothing was granted');
});
