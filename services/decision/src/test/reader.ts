import type { Pool } from '@countersign/runtime/database';
import { Metrics } from '@countersign/runtime/metrics';
import { decisionMetrics } from '../decision-metrics.js';
import type { KnownMemory } from '../known-memory.js';
import { KnownReader } from '../known-reader.js';

export function readerOf(pool: Pool, memory: KnownMemory): KnownReader {
  const metrics = new Metrics('test');
  return new KnownReader({ pool, metrics, memory, counted: decisionMetrics(metrics) });
}
