import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'tap';
import { Lifecycle } from './lifecycle.js';
import { createLog } from './log.js';
import { type Chore, startUpkeep } from './upkeep.js';

const log = createLog({ service: 'test', level: 'silent' });

/** Chores that are done until `stop`. */
function upkeepOf(chores: readonly Chore[]): { stop(): Promise<void> } {
  const lifecycle = new Lifecycle(log);
  startUpkeep(chores, { log, lifecycle, everyMs: 1 });
  return { stop: () => lifecycle.shutdown() };
}

/** Resolves after this many calls; `work` runs on each call. */
function counted(times: number, work: () => Promise<number> | number = () => 1) {
  let calls = 0;
  let reached: () => void = () => {};
  const enough = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const chore = async (): Promise<number> => {
    calls += 1;
    if (calls === times) reached();
    return work();
  };
  return { chore, enough, calls: () => calls };
}

test('work is done at once, and again, and what fails keeps nothing from it', async (t) => {
  const failing = counted(3, () => {
    throw new Error('the database is away');
  });
  const other = counted(3);
  const upkeep = upkeepOf([
    { what: 'one', work: failing.chore },
    { what: 'other', work: other.chore },
  ]);
  t.equal(failing.calls(), 1, 'at once');
  await Promise.all([failing.enough, other.enough]);
  await upkeep.stop();
});

test('what has much to do is told to end', async (t) => {
  const upkeep = upkeepOf([
    {
      what: 'much',
      work: (signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(1))),
    },
  ]);
  await t.resolves(upkeep.stop());
});

test('a pass never runs into the next, and stopping begins nothing more', async (t) => {
  let running = 0;
  let most = 0;
  const slow = counted(5, async () => {
    running += 1;
    most = Math.max(most, running);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    running -= 1;
    return 0;
  });
  const after = counted(1);
  const upkeep = upkeepOf([{ what: 'slow', work: slow.chore }]);
  await slow.enough;
  await upkeep.stop();
  t.equal(running, 0, 'what was under way is waited for');
  t.equal(most, 1);
  const stopped = upkeepOf([
    { what: 'slow', work: slow.chore },
    { what: 'after', work: after.chore },
  ]);
  await stopped.stop();
  t.equal(after.calls(), 0);
});
