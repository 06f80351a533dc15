import { readFileSync } from 'node:fs';
import { sampleEventData } from '@countersign/kernel/webhook-event';
import { test } from 'tap';
import { evaluate } from '../evaluate.js';
import { type FactsPatch, factsOf } from './facts.js';

const page = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8');

/** The verdict about the payment of a sample event. */
function verdictOn({ amount, currency }: Record<string, unknown>, patch: FactsPatch) {
  return evaluate(factsOf({ ...patch, facts: { payment: { amount, currency } } }));
}

test('the sample events say what the rules say of such a payment', (t) => {
  const decline = sampleEventData('authorization.decline');
  const limited = { mandates: [{ maxAmountPerTransaction: '100.00' }] };
  const declined = verdictOn(decline, limited);
  t.match(decline, {
    decision: declined.decision,
    reason_codes: declined.reasonCodes,
    reason_detail: declined.reasonDetail,
  });
  t.ok(page.includes(`"reason_detail": "${declined.reasonDetail}"`), 'on the page as well');

  const stepUp = sampleEventData('step_up.created');
  const asked = verdictOn(stepUp, {
    mandates: [{ maxAmountPerTransaction: '1000.00' }],
    thresholds: { stepUpAmountThreshold: '100.00' },
  });
  t.match(stepUp, {
    decision: asked.decision,
    reason_codes: asked.reasonCodes,
    reason_detail: asked.reasonDetail,
  });
  t.end();
});
