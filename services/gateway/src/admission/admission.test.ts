import { Metrics } from '@countersign/runtime/metrics';
import { test } from 'tap';
import { Admission } from './admission.js';

function service() {
  let now = 0;
  const admission = new Admission({
    deadlineMs: 1_000,
    metrics: new Metrics('test'),
    now: () => now,
  });
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
  };
}

test('a burst is let in, up to what can be kept waiting at all', async (t) => {
  const { enter, leave, pass, room } = service();
  const burst = enter(500);
  t.equal(burst.length, 500);
  pass(100);
  leave(burst);
  pass(300);
  t.ok(room() >= 500);
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
