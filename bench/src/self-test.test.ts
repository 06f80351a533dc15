import { test } from 'tap';
import { generate } from './load/generator.js';
import { startStallingServer } from './stalling-server.js';
import { paymentPlan } from './subject.js';

const stall = { afterMs: 300, forMs: 250 };
const perSecond = 500;

test('the open model counts what a stalled server would hide', async (t) => {
  const server = await startStallingServer(stall);
  t.teardown(server.close);
  const { completed, latencyMs, lost } = await generate({
    model: 'open',
    port: server.port,
    plan: paymentPlan([]),
    connections: 4,
    durationMs: 1_000,
    perSecond,
  });
  t.equal(completed, perSecond, 'every request that was due is sent and answered');
  t.equal(lost, 0);
  // All requests due in the first half of the stall, an eighth, waited for at least its second
  // half. A closed loop with four connections would have had only four waiting requests.
  t.ok(latencyMs.p90 >= stall.forMs / 2, `a tenth took ${latencyMs.p90} ms or more`);
});
