import { newId } from '@countersign/kernel/id';
import type { Pool } from '@countersign/runtime/database';
import { test } from 'tap';
import { readerOf } from '../test/reader.js';
import { StateCache } from './cache.js';

test('that a Principal has no thresholds is cached, unless some came meanwhile', async (t) => {
  const cache = new StateCache();
  const [setMeanwhile, setNever] = [newId('principal'), newId('principal')];
  const query = async () => {
    cache.holdThresholds(setMeanwhile, 1, '{"velocity_burst_count": 100}');
    return { rows: [] };
  };
  const pool = { query } as unknown as Pool;
  const reader = readerOf(pool, cache);
  const agentId = newId('agent');
  await Promise.all([
    reader.read({ principalId: setMeanwhile, agentId }),
    reader.read({ principalId: setNever, agentId }),
  ]);
  t.equal(cache.knownThresholdsOf(setMeanwhile)?.velocityBurstCount, 100);
  t.equal(cache.knownThresholdsOf(setNever)?.velocityBurstCount, 10);
  t.equal(cache.knownThresholdsOf(newId('principal')), null, 'never read');
});

test('an unreadable row fails only its own read', async (t) => {
  const unreadable = { place: 1, profile_version: 1, profile: '{', traces_since: 0, traces: null };
  const pool = { query: async () => ({ rows: [unreadable] }) } as unknown as Pool;
  const reader = readerOf(pool, new StateCache());
  const read = () => reader.read({ principalId: newId('principal'), agentId: newId('agent') });
  const [one, other] = await Promise.allSettled([read(), read()]);
  t.equal(one.status, 'rejected');
  t.match(other, { status: 'fulfilled', value: { profile: null } });
});
