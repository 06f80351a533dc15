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
  return {
    pass: (ms: number) => {
      now += ms;
    },
    enter: (count: number) => {
      const entered = Array.from({ length: count }, () => admission.enter());
      return entered.filter((startedAt) => startedAt !== null);
    },
    leave: (started: number[]) => {
      for (const startedAt of started) admission.leave(startedAt);
    },
  };
}

test('a burst is let in however large it is, while nothing is known to be slow', async (t) => {
  const { enter, leave, pass } = service();
  const burst = enter(2_000);
  t.equal(burst.length, 2_000);
  pass(100);
  leave(burst);
  pass(300);
  t.equal(enter(2_000).length, 2_000);
});

test('a standing queue lets in what is answered in time, and all when it is gone', async (t) => {
  const { enter, leave, pass } = service();
  const waiting = enter(600);
  pass(510);
  leave(waiting.splice(0, 100));
  pass(260);
  // In the window since the first answer 100 were answered in 260 ms: about 115 in 300 ms.
  t.equal(enter(1).length, 0, 'more are inside than that already');
  leave(waiting.splice(0, 450));
  const room = enter(1_000).length;
  t.ok(room > 50 && room < 80, `the cap less those inside: ${room}`);
  leave(waiting);
  pass(260);
  enter(0);
  leave(enter(9));
  pass(260);
  t.equal(enter(1_000).length, 1_000);
});

test('one that is stuck, or an outage, is no overload', async (t) => {
  const { enter, leave, pass } = service();
  const stuck = enter(1);
  pass(900);
  const quick = enter(20);
  pass(5);
  leave(quick);
  leave(stuck);
  pass(260);
  t.equal(enter(1_000).length, 1_000, 'the fastest count');
  const failSafe = service();
  const unanswered = failSafe.enter(500);
  failSafe.pass(800);
  failSafe.leave(unanswered);
  failSafe.pass(260);
  t.equal(failSafe.enter(1_000).length, 1_000, 'what ends at its deadline is answered to be safe');
});
