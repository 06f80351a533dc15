/** Two Clients, two Principals, two environments: nothing leaks in any operation. */

import t from 'tap';
import { type Answer, type Api, api } from './api.js';
import { startChainNode, token } from './chain-node.js';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import {
  expectStatus,
  newSpender,
  newTenant,
  onboardBody,
  operator,
  paymentBody,
} from './tenant.js';

const hookHost = '127.0.0.1:9';
const node = await startChainNode(8453);
// Configured in both environments; without a chain, settlements would be refused for every caller.
const chains = JSON.stringify([
  {
    name: 'base',
    chain_id: 8453,
    rpc_urls: [node.url],
    confirmations: 3,
    assets: { USDC: { contract: token, decimals: 6 } },
  },
]);
const stack = await startInstallation({
  env: {
    ...patience,
    RATE_LIMIT_MULTIPLIER: '0',
    WEBHOOK_ALLOWED_HOSTS: hookHost,
    CHAINS_SANDBOX: chains,
    CHAINS_LIVE: chains,
  },
  seed: false,
});
t.teardown(async () => {
  await stack.stop();
  await node.close();
});

type Fields = Record<string, unknown>;

/** The ids of one Principal with one object of each kind. */
type Owned = Record<string, string>;

const tenant = await newTenant(stack);
const owner = await newSpender(stack, tenant, { max_amount_per_transaction: '1000.00' });
const sibling = await newSpender(stack, tenant);
const stranger = await newTenant(stack);
const foreign = await newSpender(stack, stranger);
const live = expectStatus(
  await operator(stack).post(`/internal/v1/clients/${tenant.clientId}/credentials`, {
    environment: 'live',
    kind: 'api_key',
  }),
  201,
);
const liveProgram = expectStatus(
  await operator(stack).post(`/internal/v1/clients/${tenant.clientId}/programs`, {
    environment: 'live',
    name: 'Live',
    rails: ['card'],
  }),
  201,
);
const liveTenant = { ...tenant, programId: liveProgram.id, apiKey: live.api_key };
const liveClient = api(stack.baseUrl, { 'x-api-key': live.api_key });
const alive = await newSpender(stack, { ...liveTenant, client: liveClient });

const owned = await ownedBy();
const samples: Fields = {
  updateAgentStatus: { status: 'SUSPENDED', reason: 'not mine' },
  createMandate: {
    agent_id: owner.agentId,
    valid_until: '2027-01-01T00:00:00Z',
    max_amount_per_transaction: '1.00',
  },
  authorize: paymentBody(owner.agentId),
  simulateAuthorization: paymentBody(owner.agentId),
  reverseAuthorization: { authorization_id: owned.authorization_id },
  verifyStepUpCode: { code: '000000' },
  enrollPrincipal: { program_id: tenant.programId },
  addAgent: { name: 'not mine' },
  grantMandate: {
    rails: ['card'],
    limits: { max_amount_per_transaction: 1, max_daily_amount: 1, currency: 'USD' },
  },
  simulateVerification: { result: 'VERIFIED' },
  reportOutcome: {
    authorization_id: owned.authorization_id,
    outcome_type: 'CLEARED',
    reported_at: '2026-01-02T03:04:05Z',
    reported_by: 'ISSUER',
  },
  reportSettlement: { authorization_id: owned.authorization_id, tx_hash: `0x${'ab'.repeat(32)}` },
  updateWebhook: { description: 'not mine' },
  resolveCase: { resolution: 'INCONCLUSIVE' },
};

async function ownedBy(): Promise<Owned> {
  const { acting, agentId } = owner;
  const pay = async (amount: string) =>
    expectStatus(await acting.post('/api/v1/authorize', paymentBody(agentId, { amount })), 200);
  const paid = await pay('10.00');
  const challenge = await pay('666.02');
  const made = await acting.post('/api/v1/webhooks', {
    url: `http://${hookHost}/hook`,
    event_types: ['trust.promotion'],
  });
  return {
    principal_id: owner.principalId,
    agent_id: agentId,
    mandate_id: owner.mandateId,
    program_id: tenant.programId,
    authorization_id: paid.authorization_id,
    challenge_id: challenge.authorization_id,
    webhook_id: expectStatus(made, 201).webhook.id,
    delivery_id: 'whd_01k5a3v7q8e9f0g1h2j3k4m5n6',
    case_id: 'frd_01k5a3v7q8e9f0g1h2j3k4m5n6',
  };
}

interface Operation {
  method: string;
  path: string;
  name: string;
  /** True if the path or the body names an object of the owner. */
  names: boolean;
}

const namingInTheBody = new Set([
  'createMandate',
  'reverseAuthorization',
  'reportOutcome',
  'reportSettlement',
]);

async function operations(): Promise<Operation[]> {
  const { paths } = (await api(stack.baseUrl).get('/api/v1/openapi.json')).body;
  return Object.entries<Fields>(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map(([method, operation]) => {
        const name = (operation as { operationId: string }).operationId;
        const names = path.includes('{') || namingInTheBody.has(name);
        return { method: method.toUpperCase(), path, name, names };
      }),
  );
}

function ask(caller: Api, { method, path, name }: Operation): Promise<Answer> {
  const challenge = { ...owned, authorization_id: owned.challenge_id ?? '' };
  const ids: Owned = path.includes('step-up') ? challenge : owned;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => ids[key] ?? key);
  return caller.call(method, filled, { body: samples[name] });
}

const everything = Object.values(owned);

/** Data of the owner in a response, beyond what the request contained. */
function leaks(answer: Answer, asked: string): string[] {
  return everything.filter((id) => answer.text.includes(id) && !asked.includes(id));
}

/** A caller that is not the owner, the expected answer, and exceptions by operation. */
interface Stranger {
  caller: Api;
  status: number;
  but: Record<string, number>;
}

/** A settlement of another tenant's payment is 400; reading any other Principal is 403. */
const foreigner = { status: 404, but: { getPrincipal: 403, reportSettlement: 400 } };
const inSandboxOnly = { createSandboxKey: 403, simulateVerification: 403 };
const strangers: Record<string, Stranger> = {
  'another Client': { caller: foreign.acting, ...foreigner },
  'the other environment': {
    caller: alive.acting,
    status: 404,
    but: { ...foreigner.but, ...inSandboxOnly },
  },
  'a sibling Principal': {
    caller: sibling.acting,
    status: 403,
    // Without the flag of the Program, cases do not exist for anyone.
    but: { reportSettlement: 400, getCase: 404, resolveCase: 404 },
  },
  nobody: { caller: api(stack.baseUrl), status: 401, but: {} },
};

const allOperations = await operations();
const writesOfTheClient = new Set([
  'enrollPrincipal',
  'addAgent',
  'grantMandate',
  'simulateVerification',
  'createSandboxKey',
  'listPrincipalAgents',
  'getProgram',
]);

t.test('every operation that names a resource exists for its owner alone', async (t) => {
  const naming = allOperations.filter(({ names }) => names);
  t.ok(naming.length >= 30, `${naming.length} operations name a resource`);
  for (const [who, { caller, status, but }] of Object.entries(strangers)) {
    for (const operation of naming) {
      if (who === 'a sibling Principal' && writesOfTheClient.has(operation.name)) continue;
      const answer = await ask(caller, operation);
      const name = `${operation.name} by ${who}: ${answer.status} ${answer.text}`;
      t.equal(answer.status, but[operation.name] ?? status, name);
      const sibling403 = who === 'a sibling Principal' && answer.status === 403;
      if (sibling403) t.equal(answer.body.error.code, 'TENANT_MISMATCH', name);
      t.same(leaks(answer, operation.path + JSON.stringify(owned)), [], name);
      t.notMatch(answer.text, /ada@example\.com|whsec_|svc_test_\w{9}/, name);
    }
  }
});

t.test('the operator finds whose authorization an id names, in its environment', async (t) => {
  const path = `/internal/v1/sandbox/authorizations/${owned.authorization_id}`;
  const found = expectStatus(await operator(stack).get(path), 200);
  t.same(found, {
    id: owned.authorization_id,
    client_id: tenant.clientId,
    principal_id: owned.principal_id,
    agent_id: owned.agent_id,
    created_at: found.created_at,
  });
  t.equal((await operator(stack).get(path.replace('sandbox', 'live'))).status, 404);
});

t.test('the operator finds whose Principal and whose agent an id names', async (t) => {
  const found = async (path: string) => {
    const at = (environment: string) => operator(stack).get(`/internal/v1/${environment}/${path}`);
    t.equal((await at('live')).status, 404);
    return expectStatus(await at('sandbox'), 200);
  };
  const { agent_id: id, principal_id: principalId } = owned;
  const whose = { client_id: tenant.clientId, status: 'ACTIVE', principal_id: principalId };
  t.match(await found(`agents/${id}`), { id, ...whose });
  const principal = await found(`principals/${principalId}`);
  t.match(principal, { id: principalId, client_id: tenant.clientId, risk_tier: 'LOW' });
  t.notMatch(JSON.stringify(principal), 'ada@example.com', 'not who it is');
});

t.test('another Client cannot tell what exists from what does not', async (t) => {
  const nothing = (id: string) => id.replace(/_.*/, '_01k5a3v7q8e9f0g1h2j3k4m5n7');
  const paths = [
    `/api/v1/agents/${owned.agent_id}`,
    `/api/v1/agents/${owned.agent_id}/metrics`,
    `/api/v1/mandates/${owned.mandate_id}`,
    `/api/v1/mandates/${owned.mandate_id}/budget`,
    `/api/v1/mandates/agent/${owned.agent_id}`,
    `/api/v1/authorize/log/${owned.authorization_id}`,
    `/api/v1/authorize/log/agent/${owned.agent_id}`,
    `/api/v1/outcomes/${owned.authorization_id}`,
    `/api/v1/crypto/settlements/${owned.authorization_id}`,
    `/api/v1/webhooks/${owned.webhook_id}`,
    `/api/v1/webhooks/${owned.webhook_id}/deliveries`,
    `/api/v1/programs/${owned.program_id}`,
    `/api/v1/principals/${owned.principal_id}`,
  ];
  const bare = ({ status, text, body }: Answer) => {
    const id = body.error?.request_id ?? body.request_id;
    return { status, text: text.replaceAll(id, '') };
  };
  for (const path of paths) {
    for (const caller of [foreign.acting, alive.acting]) {
      const real = await caller.get(path);
      const made = await caller.get(path.replace(/[a-z]+_[0-9a-z]{26}/, nothing));
      t.same(bare(real), bare(made), path);
      t.ok([403, 404].includes(real.status), path);
    }
  }
});

t.test('lists hold only what is one’s own', async (t) => {
  const lists = [
    '/api/v1/agents',
    '/api/v1/authorize/step-up/pending',
    '/api/v1/webhooks',
    '/api/v1/programs',
    '/api/v1/thresholds',
  ];
  for (const path of lists) {
    for (const [who, caller] of [
      ['another Client', foreign.acting],
      ['the other environment', alive.acting],
      ['a sibling', sibling.acting],
    ] as const) {
      const answer = await caller.get(path);
      t.equal(answer.status, 200, `${path} by ${who}`);
      const shared = who === 'a sibling' && path === '/api/v1/programs' ? owned.program_id : '';
      t.same(leaks(answer, shared ?? ''), [], `${path} by ${who}`);
    }
  }
});

t.test('a payment for an agent of somebody else looks like one for nobody', async (t) => {
  const seen = new Set<string>();
  const callers = [foreign.acting, alive.acting, sibling.acting];
  for (const caller of callers) {
    for (const id of [owner.agentId, 'agt_01k5a3v7q8e9f0g1h2j3k4m5n7']) {
      const { body, status } = await caller.post('/api/v1/authorize', paymentBody(id));
      t.equal(status, 200);
      t.match(body, { decision: 'DECLINE', reason_codes: ['AGENT_NOT_FOUND'], mandate_id: null });
      const { authorization_id: _, transaction_id: __, correlation_key: ___, ...rest } = body;
      seen.add(JSON.stringify({ ...rest, agent_id: '', processing_time_ms: 0 }));
    }
  }
  t.equal(seen.size, 1, 'field for field');
});

t.test('a Principal of somebody else, named on a payment, is refused like nobody’s', async (t) => {
  const key = 'a-key-of-the-owner';
  const paid = paymentBody(owner.agentId, { idempotency_key: key });
  expectStatus(await owner.acting.post('/api/v1/authorize', paid), 200);
  const seen = new Set<string>();
  for (const named of [owner.principalId, 'prn_01k5a3v7q8e9f0g1h2j3k4m5n7', 'anything']) {
    const headers = { 'x-principal-id': named };
    for (const path of ['/api/v1/authorize', '/api/v1/authorize/simulate']) {
      for (const body of [paid, { ...paid, idempotency_key: undefined }, { amount: 'much' }]) {
        const answer = await stranger.client.post(path, body, { headers });
        t.equal(answer.status, 403, `${path} for ${named}`);
        seen.add(answer.body.error.message);
      }
    }
  }
  t.equal(seen.size, 1, 'in the same words');
});

t.test('nothing of the owner was changed by all this', async (t) => {
  const { acting } = owner;
  const agent = expectStatus(await acting.get(`/api/v1/agents/${owned.agent_id}`), 200);
  t.equal(agent.status, 'ACTIVE');
  const mandates = await acting.get(`/api/v1/mandates/agent/${owned.agent_id}`);
  t.match(expectStatus(mandates, 200), { total: 1, mandates: [{ status: 'ACTIVE' }] });
  const paid = await acting.get(`/api/v1/authorize/log/${owned.authorization_id}`);
  t.has(expectStatus(paid, 200), { decision: 'APPROVE', reversed_amount: '0.00' });
  const challenge = await acting.get(`/api/v1/authorize/log/${owned.challenge_id}`);
  t.match(expectStatus(challenge, 200), { decision: 'STEP_UP', step_up: { status: 'PENDING' } });
  const hook = await acting.get(`/api/v1/webhooks/${owned.webhook_id}`);
  t.match(expectStatus(hook, 200), { description: null, active: true });
  const outcomes = await acting.get(`/api/v1/outcomes/${owned.authorization_id}`);
  t.same(expectStatus(outcomes, 200).data, []);
  const agents = `/api/v1/principals/${owned.principal_id}/agents`;
  t.equal(expectStatus(await tenant.client.get(agents), 200).count, 1);
});

t.test('references and keys of one environment are free in the other', async (t) => {
  const { principal } = onboardBody(tenant.programId);
  const headers = { 'idempotency-key': 'one-key-in-both-worlds' };
  const first = await tenant.client.post('/api/v1/principals', principal, { headers });
  const body = { ...principal, program_ids: [liveProgram.id] };
  const second = await liveClient.post('/api/v1/principals', body, { headers });
  t.equal(first.status, 201, first.text);
  t.equal(second.status, 201, second.text);
  t.not(first.body.id, second.body.id);
  const crossed = await liveClient.post('/api/v1/principals', principal);
  t.equal(crossed.body.error, 'program_not_owned', 'a Program of the sandbox is unknown in live');
});
