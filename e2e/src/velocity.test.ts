/** How often an agent requests payments is a risk signal, with thresholds of its own. */
import { randomUUID } from 'node:crypto';
import { until } from '@countersign/runtime/testing';
import t from 'tap';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import { expectStatus, newTenant, onboardSpender, paymentBody, type Spender } from './tenant.js';

const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0' },
  replicas: { decision: 2 },
  ownServers: ['redis'],
  seed: false,
});
t.teardown(() => stack.stop());
const tenant = await newTenant(stack);
const path = '/api/v1/authorize';

/** Long enough for eleven payments on a busy machine. */
const patientWindow = { velocity_burst_window_seconds: 3_600 };

async function newAgent(): Promise<Spender> {
  const spender = await onboardSpender(stack, tenant);
  await put(spender, patientWindow);
  return spender;
}

async function put({ acting }: Spender, body: Record<string, number>): Promise<void> {
  expectStatus(await acting.call('PUT', '/api/v1/thresholds', { body }), 200);
}

/** With a new task each, because repeating a task is a different signal. */
async function pay({ acting, agentId }: Spender, fields = {}, way = path) {
  const body = paymentBody(agentId, { ...taskOfItsOwn(), ...fields });
  return expectStatus(await acting.post(way, body), 200);
}

function taskOfItsOwn() {
  return { intent_context: { task_reference: randomUUID() } };
}

async function approve(spender: Spender, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    const { decision, reason_detail: why } = await pay(spender);
    if (decision !== 'APPROVE') throw new Error(`payment ${n + 1}: ${decision}, ${why}`);
  }
}

t.test('the eleventh decision asks for a human, says why, and is explained', async (t) => {
  const spender = await newAgent();
  await approve(spender, 9);
  const key = { idempotency_key: randomUUID(), ...taskOfItsOwn() };
  const tenth = await pay(spender, key);
  t.match(tenth, { decision: 'APPROVE', risk_assessment: { velocity_indicator: false } });
  for (let n = 0; n < 4; n += 1) t.same(await pay(spender, key), tenth, 'a replay is none');
  const told = await pay(spender, {}, `${path}/simulate`);
  t.match(told, { decision: 'STEP_UP', reason_codes: ['VELOCITY_BURST'], simulated: true });
  const eleventh = await pay(spender);
  t.match(eleventh, {
    decision: 'STEP_UP',
    reason_codes: ['VELOCITY_BURST'],
    reason_detail: /more than 10 decisions within 3600 seconds, .* wait \d+ seconds before/,
    risk_assessment: { velocity_indicator: true, reason_codes: ['VELOCITY_BURST'] },
  });
  t.ok(eleventh.risk_score > tenth.risk_score);
  const { acting } = spender;
  const way = `${path}/log/${eleventh.authorization_id}/explain`;
  const explained = expectStatus(await acting.get(way), 200);
  t.match(explained, {
    reproduced: true,
    reason_detail: eleventh.reason_detail,
    inputs: { velocity: { exceeded: true }, thresholds: { velocity_burst_count: 10 } },
  });
  const confirm = await acting.post(`${path}/step-up/${eleventh.authorization_id}/confirm`);
  t.equal(confirm.status, 200, 'a human may say yes');
  t.equal((await pay(await newAgent())).decision, 'APPROVE', 'others pay as before');
});

t.test('thresholds say how many', async (t) => {
  const spender = await newAgent();
  await put(spender, { velocity_burst_count: 2 });
  await approve(spender, 2);
  t.equal((await pay(spender)).decision, 'STEP_UP');
  await put(spender, { velocity_burst_count: 12 });
  await approve(spender, 9);
  t.equal((await pay(spender)).decision, 'STEP_UP');
});

t.test('without Redis payments go on, and the signal comes back with it', async (t) => {
  const spender = await newAgent();
  await put(spender, { velocity_burst_count: 1 });
  await approve(spender, 1);
  await stack.stopProcess('redis');
  await approve(spender, 5);
  await stack.startProcess('redis');
  const burst = await until(
    async () => {
      const answer = await pay(spender);
      return answer.decision !== 'APPROVE' && answer;
    },
    { what: 'a burst' },
  );
  t.same(burst.reason_codes, ['VELOCITY_BURST']);
});
