import { type Test, test } from 'tap';
import type { Logger } from './log.js';
import { Loop } from './loop.js';
import { until } from './testing.js';
import { WakeSignal } from './wake-signal.js';

const neverMs = 3_600_000;

interface HandledOptions {
  turn: (stopping: AbortSignal) => Promise<number>;
  failed: (error: unknown) => number;
  signal: WakeSignal;
}

/** A loop that is stopped at the end of its test, and a count of its turns. */
function counted(t: Test, options: Partial<HandledOptions>) {
  let turns = 0;
  const loop = new Loop({
    failed: () => neverMs,
    ...options,
    turn: async (stopping) => {
      turns += 1;
      return options.turn ? options.turn(stopping) : neverMs;
    },
  });
  t.teardown(() => loop.stop());
  return { loop, turns: () => turns };
}

/** Runs all pending microtasks and immediates. */
async function settled(): Promise<void> {
  for (let n = 0; n < 5; n += 1) await new Promise(setImmediate);
}

test('a turn that asks for no pause is followed by the next at once', async (t) => {
  const pauses = [0, 0, neverMs];
  const { turns } = counted(t, { turn: async () => pauses.shift() ?? neverMs });
  await settled();
  t.equal(turns(), 3);
});

test('a wake-up ends the pause', async (t) => {
  const { loop, turns } = counted(t, {});
  await settled();
  t.equal(turns(), 1);
  loop.wake();
  await settled();
  t.equal(turns(), 2);
});

test('a wake-up during a turn is not missed', async (t) => {
  const ends: Array<() => void> = [];
  const turn = (): Promise<number> => new Promise((resolve) => ends.push(() => resolve(neverMs)));
  const { loop, turns } = counted(t, { turn });
  loop.wake();
  ends.shift()?.();
  await settled();
  t.equal(turns(), 2);
  ends.shift()?.();
  await settled();
  t.equal(turns(), 2, 'and counts once');
});

test('a wake-up during a turn that is followed by another at once adds no third', async (t) => {
  const pauses = [0, neverMs];
  const { loop, turns } = counted(t, { turn: async () => pauses.shift() ?? neverMs });
  loop.wake();
  await settled();
  t.equal(turns(), 2);
});

test('the pause after a failure is ended by stopping and not by a wake-up', async (t) => {
  const errors: unknown[] = [];
  const { loop, turns } = counted(t, {
    turn: () => Promise.reject(new Error('away')),
    failed: (error) => {
      errors.push(error);
      return neverMs;
    },
  });
  await settled();
  loop.wake();
  await settled();
  t.equal(turns(), 1);
  t.match(errors, [new Error('away')]);
  await loop.stop();
  t.equal(turns(), 1);
});

test('a failure that goes on is reported once, and its end once work is done', async (t) => {
  const lines: unknown[] = [];
  const log = {
    warn: (about: object, text: string) => lines.push([text, about]),
    info: (about: object, text: string) => lines.push([text, about]),
  } as unknown as Logger;
  const error = new Error('away');
  const results = [error, error, null, error, 0, neverMs];
  const before: number[] = [];
  const loop = new Loop({
    turn: async () => {
      before.push(lines.length);
      const result = results.shift() ?? null;
      if (result instanceof Error) throw result;
      return result;
    },
    failing: { log, facts: { of: 'test' }, failed: 'it fails', over: 'it is over' },
    retryMs: 0,
  });
  t.teardown(() => loop.stop());
  await until(() => results.length === 0, { what: 'all turns' });
  await settled();
  t.same(lines, [
    ['it fails', { of: 'test', err: error }],
    ['it is over', { of: 'test' }],
  ]);
  t.same(before, [0, 1, 1, 1, 1, 2], 'a turn with nothing to do proves nothing');
});

test('stopping waits for the turn in progress and takes no other', async (t) => {
  let end = (): void => {};
  let told = false;
  const turn = (stopping: AbortSignal): Promise<number> =>
    new Promise((resolve) => {
      end = () => {
        told = stopping.aborted;
        resolve(0);
      };
    });
  const { loop, turns } = counted(t, { turn });
  let stopped = false;
  const stopping = loop.stop().then(() => {
    stopped = true;
  });
  await settled();
  t.notOk(stopped);
  end();
  await stopping;
  t.equal(turns(), 1);
  t.ok(told, 'which is told of it');
});

test('a loop can be woken by a signal that others hold', async (t) => {
  const signal = new WakeSignal();
  const { turns } = counted(t, { signal });
  await settled();
  signal.wake();
  await settled();
  t.equal(turns(), 2);
});

test('a signal that was woken while nobody waited ends the next wait at once', async (t) => {
  const signal = new WakeSignal();
  signal.wake();
  await signal.wait(neverMs);
  const waiting = signal.wait(neverMs);
  signal.wake();
  await t.resolves(waiting, 'and so does one that comes while somebody waits');
});
