import type { Pool } from '@countersign/runtime/database';
import { Metrics } from '@countersign/runtime/metrics';
import { decisionMetrics } from '../decision-metrics.js';
import type { StateCache } from '../state/cache.js';
import { StateReader } from '../state/reader.js';

export function readerOf(pool: Pool, cache: StateCache): StateReader {
  const metrics = new Metrics('test');
  return new StateReader({ pool, metrics, cache, counted: decisionMetrics(metrics) });
}
