import type { LogEntry } from '@countersign/sdk';
import { test } from 'tap';
import type { Context } from './context.js';
import { ReasonBook } from './reason-book.js';
import { mayAskAnew, onRecord } from './standing.js';
import { inWords, tell } from './words.js';

const context = { reasons: new ReasonBook(async () => []) } as unknown as Context;
const approval = {
  id: 'auth_1',
  decision: 'APPROVE',
  amount: '19.90',
  currency: 'USD',
  merchant_name: 'Example Books',
  reason_codes: [],
  step_up: null,
  reversed_amount: '0.00',
} as unknown as LogEntry;

const told = (entry: LogEntry, over: object = {}) => tell(context, { ...onRecord(entry), ...over });

test('after a partial reversal only the remainder may be paid', async (t) => {
  const whole = await told(approval);
  t.has(whole, { may_pay: true, amount: '19.90', given_back: '0.00', reversed: false });
  t.notMatch(inWords(whole), /reversed/);
  const rest = await told({ ...approval, reversed_amount: '5.00' });
  t.has(rest, { may_pay: true, amount: '14.90', given_back: '5.00', reversed: false });
  t.match(
    inWords(rest),
    /14\.90 USD to "Example Books" is approved[\s\S]*5\.00 USD of the approval was reversed/,
  );
  t.notMatch(inWords(rest), /19\.90/);
});

test('an approval with nothing left counts as reversed, however zeros are spelled', async (t) => {
  const none = await told({ ...approval, reversed_amount: '19.9' });
  t.has(none, { may_pay: false, reversed: true, amount: '19.90' });
});

test('an approval for another merchant does not permit a payment', async (t) => {
  const other = await told(approval, { otherMerchant: 'Other "Books"' });
  t.match(other, { may_pay: false, decision: 'APPROVE' });
  t.match(inWords(other), /approved for another merchant: do not pay/);
  t.match(other.next_step, /"Other \\"Books\\""[\s\S]*payment_number/);
});

test('what a human refused is refused, whoever else was meant', async (t) => {
  const step_up = { status: 'DENIED', expires_at: '2026-11-23T12:00:00.000Z' };
  const denied = { ...approval, decision: 'DECLINE', step_up } as LogEntry;
  const other = await told(denied, { otherMerchant: 'Other Books' });
  t.match(other.next_step, /A human has denied/);
  t.notMatch(other.next_step, /payment_number/);
  const declined = await told({ ...denied, step_up: null }, { otherMerchant: 'Other Books' });
  t.notMatch(declined.next_step, /leave to pay/);
});

const failSafe = { code: 'SYSTEM_FAIL_SAFE', description: 'Not decided.', retry: 'transient' };
const explained = {
  reasons: new ReasonBook(async () => [failSafe] as never),
} as unknown as Context;
const voided = {
  ...approval,
  decision: 'DECLINE',
  reason_codes: ['SYSTEM_FAIL_SAFE'],
} as LogEntry;

test('an approval that was voided is told as a declined payment of its amount', async (t) => {
  const standing = onRecord({ ...voided, reversed_amount: '19.90' });
  const declined = await tell(explained, standing);
  const amounts = { amount: '19.90', given_back: '0.00', reversed: false };
  t.match(declined, { may_pay: false, decision: 'DECLINE', ...amounts });
  t.match(inWords(declined), /the payment of 19\.90 USD to "Example Books" is declined/);
  t.notMatch(inWords(declined), /was reversed/);
  t.ok(mayAskAnew(standing));
});

test('a challenge that the system ended was not denied by a human', async (t) => {
  const times = { expires_at: '2026-11-23T12:00:00.000Z', resolved_at: '2026-11-23T11:56:00.000Z' };
  const step_up = { status: 'DENIED' as const, resolved_by: 'system', reason: null, ...times };
  const ended = onRecord({ ...voided, step_up });
  const declined = await tell(explained, ended);
  t.match(declined, { decision: 'DECLINE', confirmation: null });
  t.match(declined.next_step, /A temporary failure\. Request it again/);
  t.ok(mayAskAnew(ended));
  const denied = onRecord({ ...voided, step_up: { ...step_up, resolved_by: 'prn_1' } });
  t.match((await tell(explained, denied)).next_step, /A human has denied/, 'voided afterwards');
  t.notOk(mayAskAnew(denied));
  const guessed = onRecord({ ...voided, step_up: { ...step_up, resolved_by: 'otp:prn_1' } });
  t.match((await tell(explained, guessed)).next_step, /its code was wrong too often/);
  t.notOk(mayAskAnew(guessed));
});

test('what nobody confirmed in time is requested anew, and what still waits is not', (t) => {
  const times = { expires_at: '2026-11-23T12:00:00.000Z', resolved_at: null };
  const challenge = (status: 'EXPIRED' | 'PENDING') => {
    const step_up = { status, resolved_by: null, reason: null, ...times };
    return onRecord({ ...approval, decision: 'STEP_UP', step_up } as LogEntry);
  };
  t.ok(mayAskAnew(challenge('EXPIRED')));
  t.notOk(mayAskAnew(challenge('PENDING')));
  t.end();
});
