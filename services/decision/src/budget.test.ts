import type { Call } from '@countersign/runtime/grpc-types';
import { type Test, test } from 'tap';
import { type Budget, type Step, startBudget } from './budget.js';
import { faultOf } from './test/fault-of.js';

const startedAt = Date.parse('2026-11-21T12:00:00.000Z');
const call = { environment: 'live', requestId: 'req-1', trace: undefined } as const;

/** Of one second for everything; `pass` lets time pass. */
function budgetOf(t: Test, callerWaitsMs: number): { budget: Budget; pass: (ms: number) => void } {
  let now = startedAt;
  t.intercept(Date, 'now', { value: () => now });
  const waiting = { ...call, deadlineAt: startedAt + callerWaitsMs } as unknown as Call;
  const pass = (ms: number): void => {
    now += ms;
  };
  return { budget: startBudget(waiting, 1_000), pass };
}

test('a step gets at most its share, so that time is left to record a fail-safe DECLINE', (t) => {
  const { budget, pass } = budgetOf(t, 5_000);
  const shares: Array<[Step, number]> = [
    ['identity', 500],
    ['database', 400],
    ['issuer', 300],
    ['ledger', 750],
    ['replay', 250],
  ];
  for (const [step, deadlineMs] of shares) {
    t.same(budget.callOptions(step), { ...call, deadlineMs });
  }
  pass(600);
  t.equal(budget.leftMs(), 400);
  t.equal(budget.callOptions('ledger').deadlineMs, 400, 'what is left, if that is less');
  t.end();
});

test('no step may take longer than the caller waits, less the way back', async (t) => {
  const { budget, pass } = budgetOf(t, 320);
  t.equal(budget.callOptions('ledger').deadlineMs, 300);
  pass(299);
  t.equal(budget.callOptions('ledger').deadlineMs, 1);
  pass(1);
  const asking = faultOf((async () => budget.callOptions('ledger'))());
  t.equal((await asking).kind, 'deadline');
});

test('work that is not done in its share is given up', async (t) => {
  const { budget, pass } = budgetOf(t, 5_000);
  t.equal(await budget.within('database', Promise.resolve('done')), 'done');
  await t.rejects(budget.within('database', Promise.reject(new Error('broken'))), /broken/);
  pass(999);
  const never = new Promise<never>(() => {});
  t.equal((await faultOf(budget.within('database', never))).kind, 'deadline');
  pass(1);
  t.equal((await faultOf(budget.within('database', never))).kind, 'deadline');
});

test('work that fails after it was given up disturbs nobody', async (t) => {
  const { budget, pass } = budgetOf(t, 5_000);
  const unheard: unknown[] = [];
  const note = (reason: unknown) => unheard.push(reason);
  process.on('unhandledRejection', note);
  t.teardown(() => process.off('unhandledRejection', note));
  for (const passing of [999, 1, 1]) {
    pass(passing);
    let fail = (_: Error): void => {};
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    t.equal((await faultOf(budget.within('database', work))).kind, 'deadline');
    fail(new Error('too late'));
    await new Promise(setImmediate);
  }
  t.same(unheard, []);
});
