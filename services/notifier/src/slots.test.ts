import { test } from 'tap';
import { Slots } from './slots.js';

/** The holder of one slot, each with a Principal of its own by default. */
function holder(webhookId: string, principalId = `owner of ${webhookId}`) {
  return { webhookId, principalId };
}

/** The state of an endpoint as passed to the claim statement. */
function known(slots: Slots, id: string) {
  const { ids, free, proven, lastAnswer } = slots.openings().endpoints;
  const index = ids.indexOf(id);
  if (index === -1) return null;
  return { free: free[index], proven: proven[index], lastAnswer: lastAnswer[index] };
}

test('an endpoint gets one slot until it responds well, and again after a failure', async (t) => {
  const slots = new Slots({ total: 8, perEndpoint: 3 });
  const stranger = holder('stranger');
  t.equal(known(slots, 'stranger'), null);
  slots.take(stranger);
  t.match(known(slots, 'stranger'), { free: 0, proven: false });
  slots.give(stranger, 'promptly');
  t.match(known(slots, 'stranger'), { free: 3, proven: true });
  slots.take(stranger);
  slots.take(stranger);
  t.match(known(slots, 'stranger'), { free: 1 });
  slots.give(stranger, 'badly');
  t.match(known(slots, 'stranger'), { free: 0, proven: false }, 'one is still in flight');
  slots.give(stranger, 'badly');
  t.match(known(slots, 'stranger'), { free: 1, proven: false });
  t.equal(slots.taken, 0);
});

test('an endpoint that responds slowly keeps its slots, but is unproven', async (t) => {
  const slots = new Slots({ total: 64, perEndpoint: 8 });
  const slow = holder('slow');
  slots.take(slow);
  slots.give(slow, 'slowly');
  t.match(known(slots, 'slow'), { free: 8, proven: false });
  slots.take(slow);
  t.match(slots.openings(), { unprovenFree: 31, principals: { held: [1], unproven: [1] } });
  slots.give(slow, 'badly');
  t.match(known(slots, 'slow'), { free: 1, proven: false });
});

test('unproven endpoints hold at most half of all slots and half of a share', async (t) => {
  const slots = new Slots({ total: 64, perEndpoint: 8 });
  t.match(slots.openings(), { free: 64, unprovenFree: 32, share: 8, unprovenShare: 4 });
  slots.take(holder('proven', 'one'));
  slots.give(holder('proven', 'one'), 'promptly');
  for (const id of ['proven', 'proven', 'dead']) slots.take(holder(id, 'one'));
  slots.take(holder('other', 'two'));
  t.match(slots.openings(), {
    free: 60,
    unprovenFree: 30,
    principals: { ids: ['one', 'two'], held: [3, 1], unproven: [1, 1] },
  });
  const few = new Slots({ total: 4, perEndpoint: 8 }).openings();
  t.match(few, { unprovenFree: 2, share: 1, unprovenShare: 1 }, 'at least one each');
});

test('endpoints are ordered by their last response, and the history is bounded', async (t) => {
  const slots = new Slots({ total: 8, perEndpoint: 3 });
  const order = ['first', 'second', 'third', 'first'];
  for (const id of order) {
    slots.take(holder(id));
    slots.give(holder(id), 'badly');
  }
  const answers = ['second', 'third', 'first'].map((id) => known(slots, id)?.lastAnswer ?? 0);
  t.same(answers, [2, 3, 4]);
  slots.take(holder('good'));
  slots.give(holder('good'), 'promptly');
  slots.take(holder('slow'));
  slots.give(holder('slow'), 'slowly');
  const fail = (from: number, to: number): void => {
    for (let i = from; i < to; i += 1) {
      slots.take(holder(`dead${i}`));
      slots.give(holder(`dead${i}`), 'badly');
    }
  };
  fail(0, 997);
  t.equal(known(slots, 'second'), null, 'the one that has not answered for longest is evicted');
  t.match(known(slots, 'first'), { lastAnswer: 4 });
  fail(997, 3_000);
  t.ok(known(slots, 'good')?.proven, 'failed endpoints do not evict proven ones');
  t.equal(slots.openings().endpoints.ids.length, 1_001);
  slots.take(holder('slow'));
  t.match(known(slots, 'slow'), { free: 0 }, 'one that was evicted counts as new');
});
