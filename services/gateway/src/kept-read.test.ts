import { test } from 'tap';
import { KeptRead } from './kept-read.js';

interface Asked {
  resolve: (value: number) => void;
  reject: (error: Error) => void;
}

/** The reads that were asked for, which a test answers, under a clock that it moves. */
function source(options: { usableMs?: number; retryMs?: number } = {}) {
  let now = 1_000_000;
  const asked: Asked[] = [];
  const kept = new KeptRead<number>({ clock: () => now, freshMs: 1_000, ...options });
  return {
    asked,
    outdate: () => kept.outdate(),
    pass: (ms: number) => {
      now += ms;
    },
    get: () => kept.get(() => new Promise((resolve, reject) => asked.push({ resolve, reject }))),
  };
}

test('however many ask, one read is under way and its result is kept for a while', async (t) => {
  const { asked, get, pass } = source();
  const all = Promise.all(Array.from({ length: 1_000 }, get));
  t.equal(asked.length, 1);
  asked[0]?.resolve(1);
  t.same(new Set(await all), new Set([1]));
  pass(999);
  t.equal(await get(), 1);
  t.equal(asked.length, 1);
  pass(1);
  const renewed = get();
  t.equal(asked.length, 2);
  asked[1]?.resolve(2);
  t.equal(await renewed, 2);
});

test('a clock that is set back does not keep a result', async (t) => {
  const { asked, get, pass } = source();
  const first = get();
  asked[0]?.resolve(1);
  await first;
  pass(-3_600_000);
  void get();
  t.equal(asked.length, 2);
});

test('a failure is told to all who waited for it, and not kept', async (t) => {
  const { asked, get } = source();
  const both = [get(), get()];
  asked[0]?.reject(new Error('away'));
  for (const each of both) await t.rejects(each, { message: 'away' });
  const again = get();
  asked[1]?.resolve(2);
  t.equal(await again, 2);
});

test('where a read fails, the last result is used for as long as it is usable', async (t) => {
  const { asked, get, pass } = source({ usableMs: 5_000 });
  for (const value of [1, 2]) {
    const read = get();
    asked.at(-1)?.resolve(value);
    await read;
    pass(4_999);
  }
  const next = get();
  asked.at(-1)?.reject(new Error('away'));
  t.equal(await next, 2);
  pass(1);
  const last = get();
  asked.at(-1)?.reject(new Error('away'));
  await t.rejects(last, { message: 'away' });
  t.equal(asked.length, 4);
});

test('what was being read when it was outdated is not kept', async (t) => {
  const { asked, get, outdate } = source();
  const before = get();
  outdate();
  const after = get();
  t.equal(asked.length, 2, 'a read of its own');
  asked[1]?.resolve(2);
  t.equal(await after, 2);
  asked[0]?.resolve(1);
  t.equal(await before, 1);
  t.equal(await get(), 2, 'an outdated result that came later does not replace it');
  t.equal(asked.length, 2);
});

test('a failure is told again for a while, so that not everybody asks what is away', async (t) => {
  const { asked, get, pass, outdate } = source({ retryMs: 500 });
  const first = get();
  asked[0]?.reject(new Error('away'));
  await t.rejects(first, { message: 'away' });
  pass(499);
  await t.rejects(get(), { message: 'away' });
  t.equal(asked.length, 1);
  pass(1);
  const second = get();
  asked[1]?.reject(new Error('still away'));
  await t.rejects(second, { message: 'still away' });
  outdate();
  const third = get();
  outdate();
  asked[2]?.reject(new Error('as it was'));
  await t.rejects(third, { message: 'as it was' });
  const fourth = get();
  asked[3]?.resolve(4);
  t.equal(await fourth, 4, 'unless something has changed');
});
