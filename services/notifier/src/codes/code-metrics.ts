import { type Counter, type Metrics, startAtZero } from '@countersign/runtime/metrics';
import type { Outcome } from './courier.js';

/** Outcomes of which an alert counts how many there were. */
const alarming: Outcome[] = [
  'retry',
  'given_up',
  'not_configured',
  'refused',
  'address_limit',
  'client_limit',
];

export function countedCodes(metrics: Metrics): Counter<'environment' | 'outcome'> {
  const help = 'attempts to send a one-time code';
  const counter = metrics.counter('one_time_codes_total', help, ['environment', 'outcome']);
  return startAtZero(counter, alarming);
}
