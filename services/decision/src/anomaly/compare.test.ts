import { test } from 'tap';
import { type PaymentPatch, Remembering } from '../test/ordinary-agent.js';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const now = Date.parse('2026-11-20T12:00:00.000Z');

const because = (reasoningSummary: string, patch: PaymentPatch = {}): PaymentPatch => ({
  ...patch,
  intentContext: { reasoningSummary },
});

test('a reason is compared with those of 90 days', (t) => {
  const reason = 'The yearly licence of the accounting software is due';
  const usedAgain = (daysAgo: number): unknown => {
    const remembering = new Remembering();
    remembering.learn(because(reason, { merchantName: 'One' }), now - daysAgo * dayMs);
    const { features } = remembering.judge(because(reason, { merchantName: 'Two' }), now);
    return features.map(({ name }) => name);
  };
  t.strictSame(usedAgain(89), ['REASONING_REUSE']);
  t.strictSame(usedAgain(91), []);
  t.end();
});

test('what a clock that was wrong put far ahead is no payment of the last hour', (t) => {
  const paceWith = (ahead: number): unknown => {
    const remembering = new Remembering();
    for (let number = 0; number < 40; number += 1) {
      const at = number < 20 ? now - (20 - number) * dayMs : now + ahead;
      remembering.learn({ intentContext: { taskReference: `order-${number}` } }, at);
    }
    const { features } = remembering.judge({ intentContext: { taskReference: 'next' } }, now);
    return features.some(({ name }) => name === 'VELOCITY');
  };
  t.equal(paceWith(1_000), true, 'decided at the same time');
  t.equal(paceWith(2 * hourMs), false);
  t.end();
});

test('a task is the same in each spelling of its name', (t) => {
  const remembering = new Remembering();
  const task = (taskReference: string): PaymentPatch => ({ intentContext: { taskReference } });
  remembering.learn(task('caf\u00e9'), now - 2 * hourMs);
  remembering.learn(task('cafe\u0301'), now - hourMs);
  t.match(remembering.judge(task('caf\u00e9'), now).features, [{ name: 'TASK_LOOP' }]);
  t.end();
});
