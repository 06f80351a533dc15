import { Fault } from '@countersign/kernel/fault';
import type { Logger } from '@countersign/runtime/log';
import { test } from 'tap';
import { newSpender, proposalOf } from '../test/fixture.js';
import { DecisionTimes } from './decision-times.js';

test('a difference of clocks is told to the operator once, not for each payment', async (t) => {
  const now = Date.parse('2027-05-10T12:00:00.000Z');
  const times = new DecisionTimes(() => now);
  const told: unknown[] = [];
  const log = { warn: (facts: unknown) => told.push(facts) } as unknown as Logger;
  const request = proposalOf(newSpender(), {});
  for (const aheadMs of [0, 600_000, -600_000]) {
    const check = (): void => times.check(request, now + aheadMs, { log });
    if (aheadMs === 0) t.doesNotThrow(check);
    else t.throws(check, Fault);
  }
  t.same(told, [{ aheadMs: 600_000 }]);
});
