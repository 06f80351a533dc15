import { rmSync } from 'node:fs';
import { test } from 'tap';
import { copyWithSecrets } from './tidy/cluster/bundles.js';
import { rollOut, stepsOf } from './tidy/cluster/roll-out.js';

const copy = copyWithSecrets();
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));

test('a release is rolled out in the order that its parts need', (t) => {
  const { calls, failed } = rollOut(copy, []);
  t.notOk(failed);
  const order = ['ledger', 'identity', 'notifier', 'settlement', 'decision', 'gateway'];
  const each = order.flatMap((service) => [service, `${service} is ready`]);
  t.same(stepsOf(calls), ['settings', 'migration', ...each]);
  t.equal(new Set(order).size, 6, 'all of them');
  t.end();
});

test('a release is taken back the other way round, without a migration', (t) => {
  const { calls } = rollOut(copy, ['--back']);
  const order = ['gateway', 'decision', 'settlement', 'notifier', 'identity', 'ledger'];
  t.same(stepsOf(calls), ['settings', ...order.flatMap((s) => [s, `${s} is ready`])]);
  t.end();
});

test('a migration that fails replaces no service', (t) => {
  const { calls, failed } = rollOut(copy, [], 'Failed');
  t.ok(failed);
  t.same(stepsOf(calls), ['settings', 'migration']);
  t.end();
});
