/**
 * No approval commits after a withdrawal of authority was answered, verified from both sides: by
 * the answers to callers, and by the commit order in the ledger.
 */
import { startStack } from '@countersign/tools/stack';
import t from 'tap';
import { ledgerDatabase } from './checker.js';
import { CommitOrder } from './commit-order.js';
import { patience } from './patience.js';
import { fencedWithdrawals } from './withdrawal.js';
import { countShots, isApproval, mistakesOf, playRounds } from './withdrawal-rounds.js';

/** REVOKE_RACES=10000 is required for a release. */
const races = Number(process.env.REVOKE_RACES ?? 200);
const seed = Number(process.env.RACE_SEED ?? 20_261_121);
t.setTimeout(360_000 + races * 1_000);

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

t.test(`${races} withdrawals against payments through two gateways`, async (t) => {
  const played = await playRounds({
    on: stack,
    order,
    withdrawals: fencedWithdrawals,
    count: races,
    seed,
    plan: (random) => ({
      warmUps: random(2),
      callers: 3,
      head: random(5),
      shots: 2,
      challenge: random(4) === 0,
    }),
  });
  t.equal(played.length, races);
  t.same(played.flatMap(mistakesOf).slice(0, 20), [], `seed ${seed}: what was sent after it`);
  const intervals = played.flatMap(({ interval }) => interval ?? []);
  t.equal(intervals.length, races);
  const late = await order.lateApprovals(intervals);
  t.same(late.slice(0, 20), [], `seed ${seed}: what was committed after it`);
  const raced = {
    approvals: countShots(played, isApproval),
    refusedInFlight: countShots(played, (shot) => !shot.after && !isApproval(shot)),
    sentAfter: countShots(played, ({ after }) => after),
    confirmed: countShots(played, ({ answer }) => answer.status === 200, 'confirmations'),
    notConfirmed: countShots(played, ({ answer }) => answer.status !== 200, 'confirmations'),
    fences: intervals.filter(({ answered }) => answered.fencedBy !== null).length,
  };
  t.comment(JSON.stringify(raced));
  t.equal(raced.fences, races, 'the ledger had heard of each before it answered');
  const met = [raced.approvals, raced.refusedInFlight, raced.confirmed, raced.notConfirmed];
  t.ok(
    met.every((count) => count > 0),
    'payments met withdrawals on both sides',
  );
});
