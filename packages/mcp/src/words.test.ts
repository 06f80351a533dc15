import { test } from 'tap';
import type { Context } from './context.js';
import { ReasonBook } from './reason-book.js';
import { justDecided, type Standing } from './standing.js';
import { inWords, tell } from './words.js';

const described = { description: 'A limit.' };
const published = [
  { ...described, code: 'DAILY_COUNT_EXCEEDED', retry: 'after_window' },
  { ...described, code: 'MCC_NOT_ALLOWED', retry: 'change_request' },
  { ...described, code: 'NO_ACTIVE_MANDATE', retry: 'after_human' },
  { ...described, code: 'SYSTEM_FAIL_SAFE', retry: 'transient' },
  { code: 'AGENT_NOT_FOUND', description: 'The caller has no such agent.', retry: 'never' },
  { code: 'AMOUNT_STEP_UP', description: 'Must be confirmed.', retry: 'after_human' },
];
const context = { reasons: new ReasonBook(async () => published as never) } as unknown as Context;

function standing(code: string, over: Partial<Standing>): Standing {
  const answer = { authorization_id: 'auth_1', reason_codes: [code], reason_detail: '' };
  const payment = { amount: '19.90', currency: 'USD', merchant_name: 'Example Books' };
  return { ...justDecided({ ...answer, replayed: false } as never, payment), ...over };
}

test('an agent that the service does not know is a wrong setup, not a wrong payment', async (t) => {
  const told = await tell(context, standing('AGENT_NOT_FOUND', { decision: 'DECLINE' }));
  t.match(told.next_step, /COUNTERSIGN_AGENT_ID[\s\S]*Tell the user/);
  t.notMatch(told.next_step, /for this agent/);
});

test('a payment that waits for a human says until when', async (t) => {
  const stepUp = { status: 'PENDING' as const, expires_at: '2026-11-23T12:00:00.000Z' };
  const over = { decision: 'STEP_UP' as const, stepUp: stepUp as Standing['stepUp'] };
  const told = await tell(context, standing('AMOUNT_STEP_UP', over));
  t.match(inWords(told), /A human has to confirm it before 2026-11-23T12:00:00\.000Z/);
  const expired = { ...over, stepUp: { ...stepUp, status: 'EXPIRED' } as Standing['stepUp'] };
  const late = await tell(context, standing('AMOUNT_STEP_UP', expired));
  t.match(late.next_step, /again if it is still wanted, and rather when somebody is there/);
  const unread = await tell(context, standing('AMOUNT_STEP_UP', { decision: 'STEP_UP' }));
  t.match(inWords(unread), /A human has to confirm it first, .* a yes to you does not confirm it/);
});

test('no decline advises to split a payment or to describe it wrongly', async (t) => {
  const next = async (code: string) =>
    (await tell(context, standing(code, { decision: 'DECLINE' }))).next_step;
  t.match(await next('DAILY_COUNT_EXCEEDED'), /less only if an amount is named .*; never split it/);
  t.match(await next('MCC_NOT_ALLOWED'), /Never split it, and never state .* than the real one/);
  t.match(await next('NO_ACTIVE_MANDATE'), /unless a reason above says when to ask again/);
});

test('a new key, which the service asks for, is nothing that a model has to send', async (t) => {
  const told = await tell(context, standing('SYSTEM_FAIL_SAFE', { decision: 'DECLINE' }));
  t.match(told.next_step, /exactly the same arguments: they get a new key by themselves/);
});

test('an approval that a human gave later says what to pay, and that it is one', async (t) => {
  const over = { decision: 'APPROVE' as const, isRepeated: true };
  const { next_step: next } = await tell(context, standing('STEP_UP_CONFIRMED', over));
  t.match(next, /if it was paid, do not pay again\. Pay exactly 19\.90 USD, once, if it was not\./);
});

test('a transfer is told in units of its asset, not as the amount it counts as', async (t) => {
  const crypto = { chain: 'base', asset: 'ETH', counterparty: '0xbb', value: '0.01' };
  const requested = { amount: '50.00', currency: 'USD', merchant_name: 'Example Books', crypto };
  const answer = { authorization_id: 'auth_1', decision: 'APPROVE', reason_codes: [] };
  const approved = justDecided(
    { ...answer, reason_detail: '', replayed: false } as never,
    requested,
  );
  const told = await tell(context, approved);
  t.same(told.transfer, crypto);
  t.equal(told.next_step, 'Send exactly 0.01 ETH on base to 0xbb, once.');
  t.match(inWords(told), /"Example Books", a transfer of 0\.01 ETH on base to 0xbb, is approved/);
  const recorded = { ...crypto, from_address: '0xaa', operation: 'transfer' as const };
  t.same((await tell(context, { ...approved, transfer: recorded })).transfer, crypto);
});
