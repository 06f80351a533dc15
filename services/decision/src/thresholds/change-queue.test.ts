import { test } from 'tap';
import { ChangeQueue } from './change-queue.js';

const later = (): number => Date.now() + 60_000;

test('changes of one Principal run one after the other, those of others beside them', async (t) => {
  const queue = new ChangeQueue();
  const log: string[] = [];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = queue.run('prn_1', later(), async () => {
    log.push('first begins');
    await held;
    log.push('first ends');
  });
  const second = queue.run('prn_1', later(), async () => log.push('second'));
  await queue.run('prn_2', later(), async () => log.push('another'));
  release();
  await Promise.all([first, second]);
  t.strictSame(log, ['first begins', 'another', 'first ends', 'second']);
});

test('a change that fails does not keep the next one from running', async (t) => {
  const queue = new ChangeQueue();
  const failing = queue.run('prn_1', later(), () => Promise.reject(new Error('invalid')));
  const next = queue.run('prn_1', later(), async () => 'done');
  await t.rejects(failing, { message: 'invalid' });
  t.equal(await next, 'done');
});

test('a change whose caller has given up is not made', async (t) => {
  const queue = new ChangeQueue();
  let made = false;
  const late = queue.run('prn_1', Date.now(), async () => {
    made = true;
  });
  await t.rejects(late, { kind: 'unavailable', code: 'SERVICE_UNAVAILABLE' });
  t.notOk(made);
});
