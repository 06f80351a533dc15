import { sandboxTrigger } from '../sandbox-trigger.js';
import type { Rule, Subject } from './rule.js';

/** An anomaly is declined for an agent of little trust, rather than shown to a human. */
export const intentAnomaly: Rule = {
  name: 'intent-anomaly',
  codes: ['INTENT_ANOMALY_STEP_UP', 'INTENT_ANOMALY_DECLINE'],
  check: (subject) => {
    const { anomaly, zone, thresholds } = subject;
    const { score, triggered } = anomaly;
    if (!triggered) return [];
    const why = explained(subject);
    if (score >= thresholds.intentAnomalyDecline || zone === 'RED' || zone === 'CRITICAL') {
      const measured = `anomaly ${score} in zone ${zone}${why}`;
      const detail = `the payment differs too much from what the agent usually does (${measured})`;
      return [{ code: 'INTENT_ANOMALY_DECLINE', detail }];
    }
    const detail =
      `the payment differs from what the agent usually does (anomaly ${score}${why}),` +
      ' a human must confirm';
    return [{ code: 'INTENT_ANOMALY_STEP_UP', detail }];
  },
};

function explained({ facts, anomaly }: Subject): string {
  if (sandboxTrigger(facts) === 'INTENT_ANOMALY') return ', simulated by the sandbox amount 666.03';
  const [most] = [...anomaly.features].sort((a, b) => b.share - a.share);
  return most ? `, mostly ${most.name.toLowerCase().replaceAll('_', ' ')}` : '';
}
