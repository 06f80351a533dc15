import type { BusEventType } from '@countersign/kernel/event';
import type { Metrics } from '@countersign/runtime/metrics';

export interface TriageMetrics {
  /** Counts a published event: case opened, case resolved, or pattern suspected. */
  announced(type: BusEventType): void;
}

export function triageMetrics(metrics: Metrics): TriageMetrics {
  const counter = metrics.counter('fraud_triage_total', 'what fraud triage came to', ['what']);
  // An increase would not see the first ones of a counter that does not exist before them.
  counter.inc(labelsOf('fraud.pattern_suspected'), 0);
  return { announced: (type) => counter.inc(labelsOf(type)) };
}

function labelsOf(type: BusEventType): { what: string } {
  return { what: type.replace('fraud.', '') };
}
