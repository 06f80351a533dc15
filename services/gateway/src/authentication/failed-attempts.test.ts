import { Metrics } from '@countersign/runtime/metrics';
import type { Redis } from '@countersign/runtime/redis';
import { test } from 'tap';
import { FailedAttempts } from './failed-attempts.js';

type Script = (key: string, add: '0' | '1', windowMs: number) => Promise<[number, number]>;

function attemptsWith(script: Script, clock: () => number, multiplier = 1): FailedAttempts {
  const redis = { defineCommand() {}, attempts: script } as unknown as Redis;
  return new FailedAttempts({ redis, metrics: new Metrics('test'), clock, multiplier });
}

const away = () => Promise.reject(new Error('away'));

const ip = '10.0.0.1';

test('while Redis is away, an address is refused for five minutes and no longer', async (t) => {
  let now = 1_000_000;
  const attempts = attemptsWith(away, () => now);
  for (let failure = 1; failure <= 10; failure += 1) t.equal(await attempts.count(ip), null);
  t.match(await attempts.blocked(ip), { limit: 10, waitMs: 300_000 });
  t.equal(await attempts.blocked('10.0.0.2'), null);
  now += 299_999;
  t.match(await attempts.count(ip), { limit: 10, waitMs: 1 });
  now += 1;
  t.equal(await attempts.blocked(ip), null);
  t.equal(await attempts.count(ip), null, 'and counted anew');
});

test('what was counted while Redis was away still counts when it is back', async (t) => {
  let isAway = true;
  let counted = 0;
  const attempts = attemptsWith(
    async (_key, add, windowMs) => {
      if (isAway) throw new Error('away');
      counted += Number(add);
      return [counted, windowMs];
    },
    () => 1_000_000,
  );
  t.equal(await attempts.count(ip), null);
  isAway = false;
  for (let failure = 2; failure <= 10; failure += 1) t.equal(await attempts.count(ip), null);
  t.match(await attempts.blocked(ip), { limit: 10 });
  counted = 20;
  t.match(await attempts.blocked('10.0.0.2'), { limit: 10 }, 'others count elsewhere, too');
});

test('a multiplier scales the tries, leaves one at least, and 0 refuses nobody', async (t) => {
  const clock = () => 1_000_000;
  for (const [multiplier, limit] of [
    [2, 20],
    [0.25, 3],
    [0.01, 1],
  ] as const) {
    const attempts = attemptsWith(away, clock, multiplier);
    for (let failure = 1; failure <= limit; failure += 1) {
      t.equal(await attempts.blocked(ip), null);
      t.equal(await attempts.count(ip), null);
    }
    t.match(await attempts.blocked(ip), { limit });
    t.match(await attempts.count(ip), { limit });
  }
  const off = attemptsWith(away, clock, 0);
  for (let failure = 1; failure <= 30; failure += 1) t.equal(await off.count(ip), null);
  t.equal(await off.blocked(ip), null);
});

test('a clock that is set back keeps nobody out for as long', async (t) => {
  let now = 10_000_000;
  const attempts = attemptsWith(away, () => now);
  for (let failure = 1; failure <= 10; failure += 1) t.equal(await attempts.count(ip), null);
  now -= 3_600_000;
  t.equal(await attempts.blocked(ip), null);
});
