import { test } from 'tap';
import { DispatchPacer } from './dispatch-pacer.js';

/** A pacer whose clock the test moves; `dispatched` lists who was let go, in order. */
function pacedBy() {
  let now = 1_000;
  const timers: Array<{ at: number; work: () => void }> = [];
  const pacer = new DispatchPacer({
    now: () => now,
    later: (work, ms) => timers.push({ at: now + ms, work }),
  });
  const dispatched: string[] = [];
  return {
    dispatched,
    timers,
    arrive: (name: string, inFlight: number): void => {
      void pacer.next(inFlight).then(() => dispatched.push(name));
    },
    /** Advances the clock and runs the timers that are due by then. */
    pass: async (ms: number): Promise<void> => {
      now += ms;
      for (const timer of timers.splice(0)) {
        if (timer.at <= now) timer.work();
        else timers.push(timer);
      }
      await new Promise(setImmediate);
    },
  };
}

test('a single request is dispatched at once', async (t) => {
  const { arrive, pass, dispatched } = pacedBy();
  arrive('a', 1);
  await pass(0);
  t.strictSame(dispatched, ['a']);
});

test('requests that arrive within the interval are dispatched together', async (t) => {
  const { arrive, pass, dispatched, timers } = pacedBy();
  arrive('a', 10);
  await pass(0);
  arrive('b', 10);
  await pass(2);
  arrive('c', 11);
  t.strictSame(dispatched, ['a'], 'a quarter of a millisecond for each of ten has not passed');
  t.equal(timers.length, 1, 'one dispatch for both');
  await pass(1);
  t.strictSame(dispatched, ['a', 'b', 'c']);
});

test('after an interval without requests the next one does not wait', async (t) => {
  const { arrive, pass, dispatched } = pacedBy();
  arrive('a', 10);
  await pass(0);
  await pass(5);
  arrive('b', 10);
  await pass(0);
  t.strictSame(dispatched, ['a', 'b']);
});

test('however many are in flight, nobody waits longer than 32 ms', async (t) => {
  const { arrive, pass, dispatched } = pacedBy();
  arrive('a', 1_000);
  await pass(0);
  arrive('b', 1_000);
  await pass(32);
  t.strictSame(dispatched, ['a', 'b']);
});
