import type { BusEventType } from '@countersign/kernel/event';
import type { Metrics } from '@countersign/runtime/metrics';

export interface TriageMetrics {
  /** What was announced: cases opened, cases resolved, patterns. */
  announced(type: BusEventType): void;
}

export function triageMetrics(metrics: Metrics): TriageMetrics {
  const counter = metrics.counter('fraud_triage_total', 'what fraud triage came to', ['what']);
  return { announced: (type) => counter.inc({ what: type.replace('fraud.', '') }) };
}
