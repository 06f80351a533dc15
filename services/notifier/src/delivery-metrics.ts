import {
  type Counter,
  type Gauge,
  type Histogram,
  type Metrics,
  startAtZero,
} from '@countersign/runtime/metrics';
import type { Verdict } from './retry.js';

export interface DeliveryMetrics {
  attempts: Counter<'environment' | 'outcome'>;
  attemptSeconds: Histogram<'environment' | 'outcome'>;
  inFlight: Gauge<'environment'>;
  disabled: Counter<'environment'>;
}

export function deliveryMetrics(metrics: Metrics): DeliveryMetrics {
  return {
    attempts: countedAttempts(metrics),
    attemptSeconds: metrics.histogram(
      'webhook_attempt_seconds',
      'time until the receiver answered',
      ['environment', 'outcome'],
    ),
    inFlight: metrics.gauge('webhook_attempts_under_way', 'attempts being made now', [
      'environment',
    ]),
    disabled: startAtZero(
      metrics.counter('webhooks_disabled_total', 'webhooks switched off after failures', [
        'environment',
      ]),
    ),
  };
}

function countedAttempts(metrics: Metrics): DeliveryMetrics['attempts'] {
  const help = 'attempts to deliver, by how they ended';
  const counter = metrics.counter('webhook_attempts_total', help, ['environment', 'outcome']);
  const outcomes: Verdict[] = ['delivered', 'retry', 'failed'];
  return startAtZero(counter, outcomes);
}
