import { test } from 'tap';
import { RecentKeys } from './recent-keys.js';

const name = (n: number, clientId = 'cli_1') =>
  ({
    environment: 'live',
    clientId,
    idempotencyKey: `pay-${String(n).padStart(12, '0')}`,
  }) as const;

test('most recent keys are remembered, and no unused key is', async (t) => {
  const keys = new RecentKeys();
  const count = 20_000;
  for (let n = 0; n < count; n += 1) keys.add(name(n));
  let known = 0;
  let mistaken = 0;
  for (let n = 0; n < count; n += 1) {
    if (keys.has(name(n))) known += 1;
    if (keys.has(name(n + count)) || keys.has(name(n, 'cli_2'))) mistaken += 1;
    if (keys.has({ ...name(n), environment: 'sandbox' })) mistaken += 1;
  }
  // Even keys that differ only in their last digits spread over the slots like random ones: of
  // this many, about one in thirteen is overwritten by another.
  t.ok(known > count * 0.9, `${known} of ${count}`);
  t.equal(mistaken, 0);
});
