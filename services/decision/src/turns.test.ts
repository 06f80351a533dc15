import { test } from 'tap';
import { Turns } from './turns.js';

const later = (): number => Date.now() + 60_000;

test('the work of one key runs one after the other, that of others beside it', async (t) => {
  const queue = new Turns('busy');
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

test('work that fails does not keep the next from running', async (t) => {
  const queue = new Turns('busy');
  const failing = queue.run('prn_1', later(), () => Promise.reject(new Error('invalid')));
  const next = queue.run('prn_1', later(), async () => 'done');
  await t.rejects(failing, { message: 'invalid' });
  t.equal(await next, 'done');
});

test('work whose caller has given up is not begun', async (t) => {
  const queue = new Turns('busy');
  let made = false;
  const late = queue.run('prn_1', Date.now(), async () => {
    made = true;
  });
  await t.rejects(late, { kind: 'unavailable', code: 'SERVICE_UNAVAILABLE', message: 'busy' });
  t.notOk(made);
});
