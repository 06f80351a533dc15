import { test } from 'tap';
import { type PaymentPatch, ScoredAgent } from '../test/ordinary-agent.js';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const now = Date.parse('2026-11-20T12:00:00.000Z');

const because = (reasoningSummary: string, patch: PaymentPatch = {}): PaymentPatch => ({
  ...patch,
  intentContext: { reasoningSummary },
});

test('reasoning is compared with that of the last 90 days', (t) => {
  const reason = 'The yearly licence of the accounting software is due';
  const usedAgain = (daysAgo: number): unknown => {
    const scored = new ScoredAgent();
    scored.learn(because(reason, { merchantName: 'One' }), now - daysAgo * dayMs);
    const { features } = scored.judge(because(reason, { merchantName: 'Two' }), now);
    return features.map(({ name }) => name);
  };
  t.strictSame(usedAgain(89), ['REASONING_REUSE']);
  t.strictSame(usedAgain(91), []);
  t.end();
});

test('a payment that a wrong clock dated into the future does not count for the last hour', (t) => {
  const paceWith = (ahead: number): unknown => {
    const scored = new ScoredAgent();
    for (let number = 0; number < 40; number += 1) {
      const at = number < 20 ? now - (20 - number) * dayMs : now + ahead;
      scored.learn({ intentContext: { taskReference: `order-${number}` } }, at);
    }
    const { features } = scored.judge({ intentContext: { taskReference: 'next' } }, now);
    return features.some(({ name }) => name === 'VELOCITY');
  };
  t.equal(paceWith(1_000), true, 'decided at about the same time');
  t.equal(paceWith(2 * hourMs), false);
  t.end();
});

test('Unicode-equivalent task references are the same task', (t) => {
  const scored = new ScoredAgent();
  const task = (taskReference: string): PaymentPatch => ({ intentContext: { taskReference } });
  scored.learn(task('caf\u00e9'), now - 2 * hourMs);
  scored.learn(task('cafe\u0301'), now - hourMs);
  t.match(scored.judge(task('caf\u00e9'), now).features, [{ name: 'TASK_LOOP' }]);
  t.end();
});

test('a payment that names no merchant adds none to those of its task', (t) => {
  const judged = (merchantName: string | null): unknown => {
    const scored = new ScoredAgent();
    for (const [number, name] of ['A', 'B', 'C', 'D', 'E', null].entries()) {
      scored.learn({ merchantName: name, amount: `${number + 1}.00` }, now - hourMs);
    }
    const { features } = scored.judge({ merchantName, amount: '9.00' }, now);
    return features.map(({ name }) => name);
  };
  t.strictSame(judged('A'), []);
  t.strictSame(judged(null), []);
  t.strictSame(judged('F'), ['TASK_LOOP'], 'the sixth merchant');
  t.end();
});
