import { test } from 'tap';
import { inReasonOrder, reasonByCode, reasons } from './reason.js';

test('reason codes come in the published order, each once', (t) => {
  t.equal(new Set(reasons.map((reason) => reason.code)).size, reasons.length);
  t.same(
    inReasonOrder([
      'SYSTEM_FAIL_SAFE',
      'DAILY_AMOUNT_EXCEEDED',
      'AGENT_SUSPENDED',
      'MCC_BLOCKED',
      'MCC_BLOCKED',
    ]),
    ['AGENT_SUSPENDED', 'MCC_BLOCKED', 'DAILY_AMOUNT_EXCEEDED', 'SYSTEM_FAIL_SAFE'],
  );
  t.equal(reasonByCode('DAILY_AMOUNT_EXCEEDED')?.retry, 'after_window');
  t.equal(reasonByCode('NOPE'), undefined);
  t.end();
});
