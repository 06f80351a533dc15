import { Metrics } from '@countersign/runtime/metrics';
import { test } from 'tap';
import { Admission } from './admission.js';

function service() {
  let now = 10_000;
  const metrics = new Metrics('test');
  const admission = new Admission({ deadlineMs: 1_000, metrics, now: () => now });
  const enter = (count: number): number[] => {
    const entered = Array.from({ length: count }, () => admission.enter());
    return entered.filter((startedAt) => startedAt !== null);
  };
  const leave = (started: number[]): void => {
    for (const startedAt of started) admission.leave(startedAt);
  };
  return {
    admission,
    enter,
    leave,
    pass: (ms: number) => {
      now += ms;
    },
    /** How many it lets in at this moment. */
    room: (): number => {
      const entered = enter(5_000);
      leave(entered);
      return entered.length;
    },
    shown: async (name: string) => {
      const metric = await metrics.registry.getSingleMetric(`countersign_${name}`)?.get();
      return metric?.values[0]?.value;
    },
  };
}

test('a burst is let in, up to what can be kept waiting at all', async (t) => {
  const { enter, leave, pass, room } = service();
  const burst = enter(500);
  t.equal(burst.length, 500);
  pass(100);
  leave(burst);
  pass(300);
  t.equal(room(), 615, 'a fifth more, as soon as it is known how quick they were');
  for (let i = 0; i < 20; i += 1) {
    pass(300);
    room();
  }
  t.equal(room(), 1_024);
});

test('a standing queue lets in fewer and fewer, and more again once it is gone', async (t) => {
  const { enter, leave, pass, room } = service();
  let waiting = enter(500);
  const limits: number[] = [];
  for (let i = 0; i < 8; i += 1) {
    pass(600);
    leave(waiting);
    pass(1);
    waiting = enter(500);
    limits.push(waiting.length);
  }
  t.same(limits.slice(0, 4), [300, 180, 108, 64]);
  t.equal(limits.at(-1), 64, 'never so few that nothing can be shared');
  pass(50);
  leave(waiting);
  for (let i = 0; i < 40; i += 1) {
    pass(300);
    leave(enter(1));
  }
  t.ok(room() >= 1_000);
});

test('answers that are neither quick nor late leave the limit where it is', async (t) => {
  const { enter, leave, pass } = service();
  let waiting = enter(500);
  for (const [ms, expected] of [
    [501, 300],
    [500, 300],
    [301, 300],
    [300, 360],
  ] as const) {
    pass(ms);
    leave(waiting);
    waiting = enter(5_000);
    t.equal(waiting.length, expected, `after ${ms} ms`);
  }
});

test('the metrics tell how many are under way, and how many may be', async (t) => {
  const { admission, enter, leave, pass, shown } = service();
  const told = async () => [await shown('authorize_under_way'), await shown('authorize_limit')];
  t.same(await told(), [0, 512]);
  const [one = 0, ...others] = enter(500);
  t.same(await told(), [500, 512]);
  admission.suspend(one);
  t.same(await told(), [499, 512], 'less who waits for a body');
  pass(600);
  leave(others);
  t.same(await told(), [0, 300]);
});

test('who waits for a body holds no place, and is no slow answer', async (t) => {
  const { admission, enter, leave, pass, room } = service();
  const reading = enter(512).map((startedAt) => admission.suspend(startedAt));
  t.equal(admission.inFlight, 0);
  t.equal(room(), 512, 'all of it is for others');
  pass(900);
  const back = reading.map((spentMs) => admission.enter(spentMs));
  leave(back.filter((startedAt) => startedAt !== null));
  pass(260);
  t.ok(room() >= 512, 'the time of the body is not the time of the service');
});

test('what was done before a body came counts as time of the service', async (t) => {
  const { admission, enter, leave, pass, room } = service();
  const working = enter(500);
  pass(600);
  const reading = working.map((startedAt) => admission.suspend(startedAt));
  const back = reading.map((spentMs) => admission.enter(spentMs));
  leave(back.filter((startedAt) => startedAt !== null));
  pass(260);
  t.equal(room(), 300);
});

test('one that is stuck beside quick ones is no overload', async (t) => {
  const { enter, leave, pass, room } = service();
  const stuck = enter(1);
  pass(900);
  const quick = enter(20);
  pass(5);
  leave(quick);
  leave(stuck);
  pass(260);
  t.ok(room() >= 512, 'the fastest count');
});
