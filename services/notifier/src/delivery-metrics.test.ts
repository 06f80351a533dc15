/** Alerts compare how much these counters grow: the first events have to be an increase too. */
import { Metrics } from '@countersign/runtime/metrics';
import { test } from 'tap';
import { countedCodes } from './codes/code-metrics.js';
import { deliveryMetrics } from './delivery-metrics.js';

test('counters that alerts watch exist before their first event', async (t) => {
  const metrics = new Metrics('test');
  deliveryMetrics(metrics);
  countedCodes(metrics);
  const text = await metrics.registry.metrics();
  for (const environment of ['live', 'sandbox']) {
    const disabled = `countersign_webhooks_disabled_total\\{environment="${environment}".*\\} 0`;
    t.match(text, new RegExp(`^${disabled}$`, 'm'));
    const isThere = (name: string, outcome: string) => {
      const labels = `environment="${environment}",outcome="${outcome}"`;
      t.match(text, new RegExp(`^countersign_${name}\\{${labels}.*\\} 0$`, 'm'));
    };
    isThere('webhook_attempts_total', 'failed');
    for (const outcome of ['refused', 'address_limit', 'client_limit']) {
      isThere('one_time_codes_total', outcome);
    }
  }
});
