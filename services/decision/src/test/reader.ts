import type { Pool } from '@countersign/runtime/database';
import { Metrics } from '@countersign/runtime/metrics';
import { decisionMetrics } from '../decision-metrics.js';
import type { StateCache } from '../state/cache.js';
import { StateReader } from '../state/reader.js';

/** When a decision that has all the time it needs stops waiting. */
export function later(): number {
  return Date.now() + 60_000;
}

/** By default no read is overdue, even on a busy machine. */
export function readerOf(pool: Pool, cache: StateCache, longestMs = 60_000): StateReader {
  const metrics = new Metrics('test');
  return new StateReader({ pool, metrics, cache, longestMs, counted: decisionMetrics(metrics) });
}
