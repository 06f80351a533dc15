import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { until } from '@countersign/runtime/testing';
import { backUpDatabase } from '@countersign/runtime/testing/backup';
import { execute } from '@countersign/tools/migrations/connection';
import { type ProcessName, startStack } from '@countersign/tools/stack';
import t from 'tap';
import type { Answer } from './api.js';
import { ledgerDatabase } from './checker.js';
import { insist } from './retries.js';
import {
  expectStatus,
  newSpender,
  newTenant,
  onboardBody,
  paymentBody,
  type Spender,
} from './tenant.js';

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

const setStatus = ({ acting, agentId }: Spender, status: string): Promise<Answer> =>
  acting.call('PATCH', `/api/v1/agents/${agentId}/status`, { body: { status, reason: 'stolen' } });

function databaseOf(service: 'identity' | 'gateway'): string {
  const found = stack.databases.find(
    (each) => each.service === service && each.environment !== 'live',
  );
  if (!found) throw new Error(`there is no database of ${service}`);
  return found.url;
}

/** What the operator is told to run, with the restored point. */
function documented(pattern: RegExp, since: Date): string[] {
  const guide = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  return (guide.match(pattern) ?? []).map((text) => text.replace('…', since.toISOString()));
}

t.test('a revocation holds although the ledger that knew of it is restored', async (t) => {
  const [revoked, other] = [await newSpender(stack, tenant), await newSpender(stack, tenant)];
  const backup = await backUpDatabase(ledgerDatabase(stack));
  t.teardown(backup.drop);
  await Promise.all([warmUp(revoked), warmUp(other)]);
  expectStatus(await setStatus(revoked, 'REVOKED'), 200);

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

t.test('identity is restored as the document says', async (t) => {
  const [revoked, changed] = [await newSpender(stack, tenant), await newSpender(stack, tenant)];
  const backup = await backUpDatabase(databaseOf('identity'));
  t.teardown(backup.drop);
  const since = new Date(Date.now() - 60_000);
  const body = onboardBody(tenant.programId);
  const headers = { 'idempotency-key': randomUUID() };
  const onboard = async () =>
    expectStatus(await tenant.client.post('/api/v1/onboard', body, { headers }), 201);
  const before = await insist('identity to be connected again', onboard);
  for (const status of ['SUSPENDED', 'ACTIVE']) expectStatus(await setStatus(changed, status), 200);
  expectStatus(await setStatus(revoked, 'REVOKED'), 200);

  const deciding: ProcessName[] = ['decision', 'decision-2'];
  for (const name of [...deciding, 'identity' as const]) await stack.stopProcess(name);
  await backup.restore();
  const versions = documented(/^UPDATE \w+ SET version = .*;$/gm, since);
  t.equal(versions.length, 3);
  for (const statement of versions) await execute(databaseOf('identity'), statement);
  const answers = documented(/^DELETE FROM onboarding_idempotency .*;$/gm, since);
  t.equal(answers.length, 1);
  for (const statement of answers) await execute(databaseOf('gateway'), statement);
  await stack.startProcess('identity');
  const repeat = async () => expectStatus(await setStatus(revoked, 'REVOKED'), 200);
  await insist('the revocation to be repeated', repeat);
  for (const name of deciding) await stack.startProcess(name);

  for (let n = 0; n < 10; n += 1) t.equal((await pay(revoked)).body.decision, 'DECLINE');
  const approves = async (spender: Spender) => (await pay(spender)).body.decision === 'APPROVE';
  await until(() => approves(changed), { what: 'a payment of an agent changed since' });
  const created = await onboard();
  t.not(created.agent.id, before.agent.id);
  const headersOf = { headers: { 'x-principal-id': created.principal.id } };
  const path = `/api/v1/agents/${created.agent.id}`;
  expectStatus(await tenant.client.get(path, headersOf), 200);
});
