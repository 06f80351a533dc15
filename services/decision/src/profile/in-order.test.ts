import { test } from 'tap';
import { inOrder } from './in-order.js';

function recorder(holdMs: number) {
  const handled: number[] = [];
  const handle = inOrder<number>({ holdMs, timeOf: (item) => Math.abs(item) }, async (item) => {
    handled.push(item);
    if (item < 0) throw new Error(`${item}`);
  });
  return { handled, handle };
}

test('what arrives while another is held goes before it if it belongs there', async (t) => {
  const { handled, handle } = recorder(20);
  await Promise.all([3, 1, 2].map(handle));
  t.same(handled, [1, 2, 3]);
  await Promise.all([5, 4].map(handle));
  t.same(handled, [1, 2, 3, 4, 5], 'and again after a pause');
});

test('an item that fails fails alone', async (t) => {
  const { handled, handle } = recorder(1);
  const results = await Promise.allSettled([2, -1, 3].map(handle));
  t.same(handled, [-1, 2, 3]);
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});
