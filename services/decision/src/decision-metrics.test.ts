/** Alerts compare how much these counters grow: the first event has to be an increase too. */
import { Metrics } from '@countersign/runtime/metrics';
import { test } from 'tap';
import { decisionMetrics } from './decision-metrics.js';

test('counters that alerts watch exist before their first event', async (t) => {
  const metrics = new Metrics('test');
  decisionMetrics(metrics);
  const text = await metrics.registry.metrics();
  for (const environment of ['live', 'sandbox']) {
    const unsigned = `countersign_unsigned_total\\{environment="${environment}".*\\} 0`;
    t.match(text, new RegExp(`^${unsigned}$`, 'm'));
    const failSafes = `environment="${environment}",decision="DECLINE",code="SYSTEM_FAIL_SAFE"`;
    t.match(text, new RegExp(`^countersign_decision_reasons_total\\{${failSafes}.*\\} 0$`, 'm'));
    const patterns = `environment="${environment}",what="pattern_suspected"`;
    t.match(text, new RegExp(`^countersign_fraud_triage_total\\{${patterns}.*\\} 0$`, 'm'));
    for (const decision of ['APPROVE', 'STEP_UP', 'DECLINE']) {
      const labels = `environment="${environment}",decision="${decision}"`;
      t.match(text, new RegExp(`^countersign_decisions_total\\{${labels}.*\\} 0$`, 'm'));
    }
  }
});
