import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { test } from 'tap';
import { accessLog } from './access-log.js';

test('alerts see the first answers to payments, since their counters start at 0', async (t) => {
  const metrics = new Metrics('gateway');
  const log = createLog({ service: 'gateway', level: 'silent' });
  accessLog({ log, metrics, lines: false, listener: 'operator' });
  accessLog({ log, metrics, lines: false, listener: 'public' });
  const text = (await metrics.registry.metrics()).replace(/,?service="gateway",?/g, '');
  const payments = 'method="POST",path="/api/v1/authorize"';
  t.same(text.match(/^countersign_http_\w+_(count|total){.+$/gm), [
    `countersign_http_public_seconds_count{${payments},status="200"} 0`,
    `countersign_http_public_seconds_count{${payments},status="429"} 0`,
    'countersign_http_public_failed_total{path="/api/v1/authorize"} 0',
  ]);
});
