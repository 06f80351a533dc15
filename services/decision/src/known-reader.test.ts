import { newId } from '@countersign/kernel/id';
import type { Pool } from '@countersign/runtime/database';
import { Metrics } from '@countersign/runtime/metrics';
import { test } from 'tap';
import { KnownMemory } from './known-memory.js';
import { KnownReader } from './known-reader.js';

test('that there is nothing is remembered, but not over what came meanwhile', async (t) => {
  const memory = new KnownMemory();
  const [setMeanwhile, setNever] = [newId('principal'), newId('principal')];
  const query = async () => {
    memory.holdThresholds(setMeanwhile, 1, '{"velocity_burst_count": 100}');
    return { rows: [] };
  };
  const pool = { query } as unknown as Pool;
  const reader = new KnownReader({ pool, metrics: new Metrics('test'), memory });
  const agentId = newId('agent');
  await Promise.all([
    reader.read({ principalId: setMeanwhile, agentId }),
    reader.read({ principalId: setNever, agentId }),
  ]);
  t.equal(memory.knownThresholdsOf(setMeanwhile)?.velocityBurstCount, 100);
  t.equal(memory.knownThresholdsOf(setNever)?.velocityBurstCount, 10);
  t.equal(memory.knownThresholdsOf(newId('principal')), null, 'nobody has looked');
});
