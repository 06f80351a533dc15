import { test } from 'tap';
import type { TraceRow } from '../anomaly/baseline.js';
import { packTrace } from '../anomaly/packed-trace.js';
import { StateCache } from './cache.js';

const trace = { task: '00000000000ff' };
const packed = packTrace({ amount: '10.00', currency: 'USD', merchant: null, trace });
const fullPast: TraceRow[] = Array.from({ length: 200 }, (_, n) => {
  return { version: n + 1, approved: true, at: n, name: n + 1, packed };
});

/** How many of the agents, each with a full past, are cached after all have paid. */
function heldOf(agents: number, cache: StateCache): number {
  const ids = Array.from({ length: agents }, (_, n) => `agt_${n}`);
  for (const id of ids) cache.holdTraces(id, { held: null, version: 200, rows: fullPast });
  return ids.filter((id) => cache.baselineOf(id) !== null).length;
}

test('as many pasts are held as there is memory for, and no more', (t) => {
  const few = heldOf(1_200, new StateCache({ historyMb: 8 }));
  t.ok(few >= 800 && few <= 950, `8 MB hold ${few}`);
  t.equal(heldOf(1_200, new StateCache({ historyMb: 12 })), 1_200);
  t.equal(heldOf(1_200, new StateCache()), 1_200);
  t.end();
});
