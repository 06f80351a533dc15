/**
 * Whatever a process has cached, a withdrawal of authority holds everywhere once it is answered:
 * the caches of all replicas are warmed, one gateway is asked to withdraw, and payments are sent
 * through the other immediately.
 */
import type { Random } from '@countersign/runtime/testing';
import { startStack } from '@countersign/tools/stack';
import t from 'tap';
import { ledgerDatabase } from './checker.js';
import { CommitOrder } from './commit-order.js';
import { patience } from './patience.js';
import { fencedWithdrawals, otherWithdrawals } from './withdrawal.js';
import type { Round } from './withdrawal-round.js';
import { countShots, isApproval, mistakesOf, playRounds } from './withdrawal-rounds.js';

/** FRESH_PAYMENTS=10000 is required for a release. */
const payments = Number(process.env.FRESH_PAYMENTS ?? 1_200);
const seed = Number(process.env.RACE_SEED ?? 20_261_121);
const shots = 8;
const withdrawals = [...fencedWithdrawals, ...otherWithdrawals];
t.setTimeout(360_000 + payments * 250);

const stack = await startStack({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0' },
  replicas: { gateway: 2, decision: 2, ledger: 2 },
  seed: false,
});
const order = new CommitOrder(ledgerDatabase(stack));
t.teardown(async () => {
  await order.close();
  await stack.stop();
});

const still: Round = { warmUps: 3, callers: 0, head: 0, shots, challenge: false };

/** A value read while it changes must not be cached as it was. */
function busy(random: Random): Round {
  return { warmUps: random(2) * 3, callers: 4, head: random(6), shots, challenge: false };
}

t.test(`${payments} payments after ${withdrawals.length} kinds of withdrawal`, async (t) => {
  const played = await playRounds({
    on: stack,
    order,
    withdrawals,
    count: Math.ceil(payments / shots),
    seed,
    plan: (random) => (random(3) > 0 ? still : busy(random)),
  });
  const after = countShots(played, (shot) => shot.after);
  t.comment(JSON.stringify({ after, approvals: countShots(played, isApproval) }));
  t.ok(after >= payments);
  t.equal(
    countShots(played, (shot) => shot.after && isApproval(shot)),
    0,
    'none is approved',
  );
  t.same(played.flatMap(mistakesOf).slice(0, 20), [], `seed ${seed}: each is told why`);
});
