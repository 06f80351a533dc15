import assert from 'node:assert/strict';
import { Fault } from '@countersign/kernel/fault';
import type { CommitRequest } from '@countersign/proto/ledger';
import fc from 'fast-check';
import { t as file, test } from 'tap';
import { decisionOf } from './answers.js';
import {
  callOf,
  createWorld,
  decide,
  newSpender,
  proposalOf,
  retryUnavailable,
  type Spender,
} from './fixture.js';
import { challengeMs, limits, SpendingModel, type Spent } from './spending-model.js';

/** Number of command sequences; FC_RUNS=2000 takes a few minutes. */
const runs = Number(process.env.FC_RUNS ?? 100);
const mostCommands = 30;

// The runner has a timeout too: `FC_RUNS=2000 TAP_TIMEOUT=1800 npm test -w services/ledger`.
if (runs > 500) file.setTimeout(1_800_000);

const world = await createWorld(file);
let now = Date.now();
const ledger = await world.start({ clock: () => now });
const { handlers } = ledger;
const call = callOf(ledger);

/** The same mandate in the database, with the requests sent and the answers received. */
interface Real {
  spender: Spender;
  sent: Array<{ request: CommitRequest; answer: string }>;
}

type Command = fc.AsyncCommand<SpendingModel, Real>;

/** The payment that the number selects; undefined if there is none. */
function about(
  pick: number,
  name: string,
  run: (model: SpendingModel, real: Real, at: number) => Promise<void>,
): Command {
  return {
    check: ({ payments }) => payments.length > 0,
    run: async (model, real) => {
      await run(model, real, pick % model.payments.length);
      await sameUsage(model, real);
    },
    toString: () => `${name}(${pick})`,
  };
}

async function sameUsage(model: SpendingModel, { spender }: Real): Promise<void> {
  const usage = await handlers.GetUsage({ mandateId: spender.mandateId }, call);
  const [day, month] = [model.used(model.today), model.used(model.today.slice(0, 7))];
  assert.equal(Number(usage.dailyAmount), day.amount);
  assert.equal(usage.dailyCount, day.count);
  assert.equal(Number(usage.monthlyAmount), month.amount);
  assert.equal(usage.monthlyCount, month.count);
  assert.ok(day.amount <= limits.dailyAmount && month.amount <= limits.monthlyAmount);
  assert.ok(day.count <= limits.dailyCount && month.count <= limits.monthlyCount);
}

function authorize(amount: number, requested: 'APPROVE' | 'STEP_UP'): Command {
  return {
    check: () => true,
    run: async (model, real) => {
      const request = proposalOf(real.spender, {
        amount: `${amount}.00`,
        decision: requested,
        reasonCodes: requested === 'STEP_UP' ? ['AMOUNT_STEP_UP'] : [],
        decidedAt: new Date(now).toISOString(),
        stepUpExpiresAt: new Date(now + challengeMs).toISOString(),
        idempotencyKey: `key-${model.payments.length}`,
        limits: {
          ...limits,
          dailyAmount: String(limits.dailyAmount),
          monthlyAmount: String(limits.monthlyAmount),
        },
      });
      const response = await decide(ledger, request);
      const { decision } = model.authorize(amount, requested);
      assert.equal(decisionOf(response), decision);
      real.sent.push({ request, answer: response.answer ?? '' });
      const answerBody = JSON.parse(response.answer ?? '{}') as Record<string, unknown>;
      assert.equal(Number(answerBody.daily_amount_used), model.used(model.today).amount);
      assert.equal(answerBody.monthly_count_used, model.used(model.today.slice(0, 7)).count);
      await sameUsage(model, real);
    },
    toString: () => `${requested}(${amount})`,
  };
}

function reverse(pick: number, part: number | null): Command {
  return about(pick, part === null ? 'reverse' : `reverse ${part} of `, async (model, real, at) => {
    const authorizationId = real.sent[at]?.request.authorizationId ?? '';
    const amount = part === null ? {} : { amount: `${part}.00` };
    const payment = model.payments[at] as Spent;
    const rest = payment.amount - payment.reversed;
    const released = model.reverse(payment, part);
    const reversal = retryUnavailable(() =>
      handlers.Reverse(
        { tenant: real.spender, authorizationId, requestedBy: 'prn_test', ...amount },
        call,
      ),
    );
    if (payment.day !== null && released === null) {
      await assert.rejects(reversal, Fault, `${part} of ${rest}`);
      return;
    }
    const { releasedAmount, reversed } = await reversal;
    assert.equal(Number(releasedAmount), released ?? 0);
    assert.equal(reversed, payment.day !== null);
  });
}

function confirm(pick: number): Command {
  return about(pick, 'confirm', async (model, real, at) => {
    const payment = model.payments[at] as Spent;
    const authorizationId = real.sent[at]?.request.authorizationId ?? '';
    const confirmation = { tenant: real.spender, authorizationId, confirmedBy: 'prn_test' };
    const { outcome } = await retryUnavailable(() => handlers.ConfirmStepUp(confirmation, call));
    const possible = model.isOpen(payment) && !model.exceeds(payment.amount);
    assert.equal(outcome === 'confirmed', possible, outcome);
    if (possible) Object.assign(payment, { day: model.today, openUntil: null });
  });
}

function deny(pick: number): Command {
  return about(pick, 'deny', async (model, real, at) => {
    const payment = model.payments[at] as Spent;
    const authorizationId = real.sent[at]?.request.authorizationId ?? '';
    const denial = { tenant: real.spender, authorizationId, deniedBy: 'prn_test' };
    const { outcome } = await retryUnavailable(() => handlers.DenyStepUp(denial, call));
    assert.equal(outcome === 'denied', model.isOpen(payment), outcome);
    if (outcome === 'denied') payment.openUntil = null;
  });
}

/** The same key with a new id gets the same answer, and nothing is spent. */
function retry(pick: number): Command {
  return about(pick, 'retry', async (_model, real, at) => {
    const { request, answer } = real.sent[at] as Real['sent'][number];
    const again = proposalOf(real.spender, {
      amount: request.amount,
      idempotencyKey: request.idempotencyKey,
      decidedAt: new Date(now).toISOString(),
    });
    const response = await retryUnavailable(() => handlers.Commit(again, call));
    assert.deepEqual([response.outcome, response.answer], ['replayed', answer]);
  });
}

function nextDay(days: number): Command {
  return {
    check: () => true,
    run: async (model, real) => {
      now += days * 24 * 3_600_000;
      model.now = now;
      await sameUsage(model, real);
    },
    toString: () => `days(${days})`,
  };
}

const which = fc.nat(mostCommands);
const amount = fc.integer({ min: 1, max: 45 });
const commands = fc.commands(
  [
    amount.map((of) => authorize(of, 'APPROVE')),
    amount.map((of) => authorize(of, 'APPROVE')),
    amount.map((of) => authorize(of, 'STEP_UP')),
    fc.tuple(which, fc.option(amount)).map(([pick, part]) => reverse(pick, part)),
    which.map(confirm),
    which.map(deny),
    which.map(retry),
    fc.integer({ min: 1, max: 20 }).map(nextDay),
  ],
  { maxCommands: mostCommands, size: 'max' },
);

test(`usage matches the model in ${runs} command sequences`, {
  timeout: 1_800_000,
}, async () => {
  const seed = process.env.FC_SEED === undefined ? {} : { seed: Number(process.env.FC_SEED) };
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const setup = () => ({
        model: new SpendingModel(now),
        real: { spender: newSpender(), sent: [] },
      });
      await fc.asyncModelRun(setup, sequence);
    }),
    { numRuns: runs, ...seed },
  );
});
