import type { Counter, Gauge, Histogram, Metrics } from '@countersign/runtime/metrics';

export interface DeliveryMetrics {
  attempts: Counter<'environment' | 'outcome'>;
  attemptSeconds: Histogram<'environment' | 'outcome'>;
  inFlight: Gauge<'environment'>;
  disabled: Counter<'environment'>;
}

export function deliveryMetrics(metrics: Metrics): DeliveryMetrics {
  return {
    attempts: metrics.counter('webhook_attempts_total', 'attempts to deliver, by how they ended', [
      'environment',
      'outcome',
    ]),
    attemptSeconds: metrics.histogram(
      'webhook_attempt_seconds',
      'time until the receiver answered',
      ['environment', 'outcome'],
    ),
    inFlight: metrics.gauge('webhook_attempts_under_way', 'attempts being made now', [
      'environment',
    ]),
    disabled: metrics.counter('webhooks_disabled_total', 'webhooks switched off after failures', [
      'environment',
    ]),
  };
}
