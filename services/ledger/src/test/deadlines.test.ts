import { AsyncLocalStorage } from 'node:async_hooks';
import { newId } from '@countersign/kernel/id';
import type { Pool } from '@countersign/runtime/database';
import type { Call } from '@countersign/runtime/grpc-types';
import { t as file, type Test, test } from 'tap';
import { readStatementTimeoutMs } from '../db.js';
import { asChallenge } from './challenge.js';
import { callOf, createWorld, faultOf, newSpender, proposalOf } from './fixture.js';

const world = await createWorld(file);
/** An attempt may take a minute. */
const ledger = await world.start({ env: { COMMIT_TIMEOUT_MS: '60000' } });
const { handlers } = ledger;
const { commits, pool } = ledger.context.stores.live;

/** A call with less time than an attempt may take. */
function hurried(ms = 20_000): Call {
  return { ...callOf(ledger), deadlineAt: Date.now() + ms };
}

function patient(): Call {
  return { ...callOf(ledger), deadlineAt: Date.now() + 120_000 };
}

/** What runs for a change under test. The relay and the upkeep use the same connections. */
const underTest = new AsyncLocalStorage<true>();

/** Has the change's next statement end like one that the server cancels; counts them. */
function cancelNext(t: Test, on: Pool, method: 'query' | 'connect'): () => number {
  const usual = on[method].bind(on) as (...args: unknown[]) => unknown;
  let asked = 0;
  t.intercept(on, method, {
    value: (...args: unknown[]) => {
      // The pool itself passes a callback when it connects for one of its own statements.
      if (typeof args[0] === 'function' || !underTest.getStore()) return usual(...args);
      asked += 1;
      if (asked > 1) return usual(...args);
      return Promise.reject(Object.assign(new Error('canceled'), { code: '57014' }));
    },
  });
  return () => asked;
}

async function recorded(given: Parameters<typeof proposalOf>[1] = {}) {
  const tenant = newSpender();
  const proposal = proposalOf(tenant, given);
  await handlers.Commit(proposal, callOf(ledger));
  const { authorizationId } = proposal;
  return { proposal, which: { tenant, authorizationId } };
}

test('a confirmation whose caller may be gone by then is not attempted again', async (t) => {
  const { which } = await recorded(asChallenge());
  const confirm = (call: Call) =>
    handlers.ConfirmStepUp({ ...which, confirmedBy: which.tenant.principalId }, call);
  await t.test('refused', async (refused) => {
    const attempts = cancelNext(refused, commits, 'query');
    refused.equal((await faultOf(underTest.run(true, confirm, hurried()))).kind, 'unavailable');
    refused.equal(attempts(), 1);
  });
  await t.test('with time for another attempt', async (confirmed) => {
    const attempts = cancelNext(confirmed, commits, 'query');
    confirmed.equal((await underTest.run(true, confirm, patient())).outcome, 'confirmed');
    confirmed.equal(attempts(), 2);
  });
});

test('neither is any other change', async (t) => {
  const { which } = await recorded();
  const { which: challenge } = await recorded(asChallenge());
  const { principalId, agentId } = which.tenant;
  const failSafe = { decision: 'DECLINE', reasonCodes: ['SYSTEM_FAIL_SAFE'], limits: null };
  const given = proposalOf(newSpender(), { ...failSafe, answerGiven: true });
  const outcome = {
    outcomeId: newId('outcome'),
    authorizationId: which.authorizationId,
    outcomeType: 'SETTLED',
    reportedAt: given.decidedAt,
    reportedBy: 'ISSUER',
  };
  const entities = [{ entityId: agentId, version: 2 }];
  const changes: Record<string, (call: Call) => Promise<unknown>> = {
    deny: (call) => handlers.DenyStepUp({ ...challenge, deniedBy: principalId }, call),
    reverse: (call) => handlers.Reverse({ ...which, requestedBy: principalId }, call),
    fence: (call) => handlers.Fence({ entities }, call),
    revoke: (call) => handlers.Fence({ entities, revokedAgentIds: [agentId] }, call),
    settle: (call) => handlers.Commit(given, call),
    report: (call) => handlers.RecordOutcomes({ tenant: which.tenant, reports: [outcome] }, call),
  };
  for (const [name, change] of Object.entries(changes)) {
    await t.test(name, async (one) => {
      const attempts =
        name === 'report' ? cancelNext(one, pool, 'connect') : cancelNext(one, commits, 'query');
      const call = name === 'report' ? hurried(readStatementTimeoutMs - 1) : hurried();
      one.equal((await faultOf(underTest.run(true, change, call))).kind, 'unavailable');
      one.ok(attempts() <= 1);
    });
    await change(callOf(ledger));
  }
});

test('what its caller no longer waits for is not begun', async (t) => {
  const { which } = await recorded();
  const reversal = { ...which, requestedBy: which.tenant.principalId };
  const late = { ...callOf(ledger), deadlineAt: Date.now() - 1 };
  t.equal((await faultOf(handlers.Reverse(reversal, late))).kind, 'unavailable');
  t.match(await handlers.Reverse(reversal, callOf(ledger)), { reversed: true });
});
