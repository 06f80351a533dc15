import { until } from '@countersign/runtime/testing';
import { backUpDatabase } from '@countersign/runtime/testing/backup';
import { startStack } from '@countersign/tools/stack';
import t from 'tap';
import type { Answer } from './api.js';
import { ledgerDatabase } from './checker.js';
import { expectStatus, newSpender, newTenant, paymentBody, type Spender } from './tenant.js';

const stack = await startStack({
  env: { RATE_LIMIT_MULTIPLIER: '0' },
  replicas: { decision: 2 },
  seed: false,
});
t.teardown(() => stack.stop());
const tenant = await newTenant(stack);

const pay = ({ acting, agentId }: Spender): Promise<Answer> =>
  acting.post('/api/v1/authorize', paymentBody(agentId));

/** Often enough for every replica to know the agent. */
async function warmUp(spender: Spender): Promise<void> {
  for (let n = 0; n < 10; n += 1) await pay(spender);
}

t.test('a revocation holds although the ledger that knew of it is restored', async (t) => {
  const [revoked, other] = [await newSpender(stack, tenant), await newSpender(stack, tenant)];
  const backup = await backUpDatabase(ledgerDatabase(stack));
  t.teardown(backup.drop);
  await Promise.all([warmUp(revoked), warmUp(other)]);
  const change = { body: { status: 'REVOKED', reason: 'stolen' } };
  const path = `/api/v1/agents/${revoked.agentId}/status`;
  expectStatus(await revoked.acting.call('PATCH', path, change), 200);

  await backup.restore();
  const answers: Answer[] = [];
  for (let n = 0; n < 10; n += 1) answers.push(await pay(revoked));
  for (const { body } of answers) {
    t.equal(body.decision, 'DECLINE');
    const [first] = body.reason_codes;
    t.ok(['AGENT_REVOKED', 'SYSTEM_FAIL_SAFE'].includes(first), String(first));
  }
  t.ok(answers.some(({ body }) => body.reason_codes[0] === 'AGENT_REVOKED'));
  // By now the short window may ask for a human.
  const isAllowed = async () => (await pay(other)).body.decision !== 'DECLINE';
  await until(isAllowed, { what: 'a payment of another agent' });
});
