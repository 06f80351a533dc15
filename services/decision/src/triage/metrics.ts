import type { BusEvent } from '@countersign/kernel/event';
import { type Metrics, startAtZero } from '@countersign/runtime/metrics';

export interface TriageMetrics {
  /** Counts a published event: case opened, case resolved, or pattern suspected. */
  announced(event: Pick<BusEvent, 'environment' | 'type'>): void;
}

export function triageMetrics(metrics: Metrics): TriageMetrics {
  const counter = metrics.counter('fraud_triage_total', 'what fraud triage came to', [
    'environment',
    'what',
  ]);
  startAtZero(counter, ['pattern_suspected']);
  return {
    announced: ({ environment, type }) =>
      counter.inc({ environment, what: type.replace('fraud.', '') }),
  };
}
