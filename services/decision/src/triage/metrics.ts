import type { BusEventType } from '@countersign/kernel/event';
import type { Metrics } from '@countersign/runtime/metrics';

export interface TriageMetrics {
  /** Counts a published event: case opened, case resolved, or pattern suspected. */
  announced(type: BusEventType): void;
}

export function triageMetrics(metrics: Metrics): TriageMetrics {
  const counter = metrics.counter('fraud_triage_total', 'what fraud triage came to', ['what']);
  return { announced: (type) => counter.inc({ what: type.replace('fraud.', '') }) };
}
