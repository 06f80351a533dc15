import { randomUUID } from 'node:crypto';
import { until } from '@countersign/runtime/testing';
import { startStack } from '@countersign/tools/stack';
import t from 'tap';
import type { Answer } from './api.js';
import { expectStatus, newSpender, newTenant, paymentBody } from './tenant.js';

const stack = await startStack({ env: { RATE_LIMIT_MULTIPLIER: '0' }, seed: false });
t.teardown(() => stack.stop());
// Three faults, with several waits of up to half a minute each.
t.setTimeout(720_000);
const tenant = await newTenant(stack);

interface Sent {
  key: string;
  transaction_id: string | undefined;
  answer: Answer;
}

/**
 * Sends payments from several callers until stopped; every answer is kept. Every second payment
 * continues the transaction of the one before, whatever was decided.
 */
function load(acting: { post(path: string, body: unknown): Promise<Answer> }, agentId: string) {
  const sent: Sent[] = [];
  let running = true;
  const callers = Array.from({ length: 8 }, async () => {
    let transaction_id: string | undefined;
    while (running) {
      const key = randomUUID();
      const fields = { amount: '1.00', idempotency_key: key, transaction_id };
      const answer = await acting.post('/api/v1/authorize', paymentBody(agentId, fields));
      sent.push({ key, answer, transaction_id });
      transaction_id = transaction_id ? undefined : answer.body.transaction_id;
    }
  });
  return {
    sent,
    stop: async () => {
      running = false;
      await Promise.all(callers);
    },
  };
}

const approvals = (sent: Sent[]) => sent.filter(({ answer }) => answer.body.decision === 'APPROVE');

for (const service of ['ledger', 'decision', 'identity'] as const) {
  t.test(`kill -9 of ${service} under load: always 200, and no approval is lost`, async (t) => {
    const { acting, agentId } = await newSpender(stack, tenant);
    const { sent, stop } = load(acting, agentId);
    await until(() => approvals(sent).length > 20, { what: 'approvals before the fault' });
    stack.kill(service, 'SIGKILL');
    const atKill = sent.length;
    await until(() => sent.length > atKill + 16, { timeoutMs: 30_000, what: 'answers during it' });
    await stack.untilReady(service);
    const atRestart = sent.length;
    await until(() => approvals(sent.slice(atRestart)).length > 20, {
      timeoutMs: 30_000,
      what: 'approvals after it',
    });
    await stop();

    t.same([...new Set(sent.map(({ answer }) => answer.status))], [200]);
    const refused = sent.filter(({ answer }) => answer.body.decision !== 'APPROVE');
    t.same(
      [...new Set(refused.flatMap(({ answer }) => answer.body.reason_codes))].filter(
        (c) => c !== 'SYSTEM_FAIL_SAFE',
      ),
      [],
    );
    for (const { answer } of approvals(sent)) {
      const id = answer.body.authorization_id;
      const entry = await until(async () => {
        const answer = await acting.get(`/api/v1/authorize/log/${id}`);
        return answer.status !== 503 && answer;
      });
      if (entry.status !== 200 || entry.body.decision !== 'APPROVE')
        t.fail(`${id} is not in the log`);
    }
    // Fail-safe answers are eventually recorded under their ids. A decision that had been committed
    // under such an id without reaching its caller releases its reservation at that point.
    for (const { answer } of refused) {
      const id = answer.body.authorization_id;
      const entry = await until(
        async () => {
          const found = await acting.get(`/api/v1/authorize/log/${id}`);
          return found.status === 200 && found.body.decision !== 'APPROVE' && found.body;
        },
        { timeoutMs: 30_000, what: `the record of ${id}` },
      );
      t.same(entry.reason_codes, ['SYSTEM_FAIL_SAFE']);
    }
    const last = expectStatus(
      await acting.post('/api/v1/authorize', paymentBody(agentId, { amount: '1.00' })),
      200,
    );
    const onRecord = await countApproved(acting, agentId);
    t.equal(
      last.daily_amount_used,
      `${onRecord}.00`,
      'what is used is the sum of the approvals on record',
    );

    for (const { answer, key, transaction_id } of refused.slice(0, 20)) {
      const fields = { amount: '1.00', idempotency_key: key, transaction_id };
      const again = await acting.post('/api/v1/authorize', paymentBody(agentId, fields));
      t.equal(again.text, answer.text, 'the key keeps its first answer');
    }
  });
}

async function countApproved(
  acting: { get(path: string): Promise<Answer> },
  agentId: string,
): Promise<number> {
  let count = 0;
  let cursor: string | null = null;
  do {
    const query: string = cursor ? `&cursor=${cursor}` : '';
    const page: Answer['body'] = expectStatus(
      await acting.get(`/api/v1/authorize/log/agent/${agentId}?limit=100${query}`),
      200,
    );
    count += page.data.filter((entry: { decision: string }) => entry.decision === 'APPROVE').length;
    cursor = page.pagination.next_cursor;
  } while (cursor);
  return count;
}
