import { reasons } from '@countersign/kernel/reason';
import { test } from 'tap';
import { effectOf } from '../rules/rule.js';
import { offenceOf } from './offence.js';

const table: Array<[reasonCodes: string[], offence: number]> = [
  [[], 0],
  [['MCC_BLOCKED'], 1],
  [['AMOUNT_EXCEEDS_PER_TXN'], 1],
  [['CAPABILITY_NOT_GRANTED'], 1],
  [['CURRENCY_MISMATCH'], 1],
  [['DAILY_AMOUNT_EXCEEDED'], 0.5],
  [['MONTHLY_AMOUNT_EXCEEDED'], 0.5],
  [['DAILY_COUNT_EXCEEDED'], 0.5],
  [['MONTHLY_COUNT_EXCEEDED'], 0.5],
  [['VI_SIGNATURE_INVALID'], 2],
  [['VI_AGENT_KEY_MISMATCH'], 2],
  [['VI_NONCE_REPLAY', 'MCC_BLOCKED'], 2],
  [['NO_ACTIVE_MANDATE', 'AGENT_SUSPENDED', 'RISK_SCORE_HARD_DECLINE'], 0],
];

test('a decision weighs as much as the worst violation that the agent caused', (t) => {
  for (const [reasonCodes, offence] of table) {
    t.equal(offenceOf(reasonCodes), offence, reasonCodes.join() || 'none');
  }
  t.end();
});

test('a limit that only the trust zone lowers is no violation: it would lower it further', (t) => {
  const lowered = ['AMOUNT_EXCEEDS_PER_TXN', 'COGNITIVE_LIMIT_APPLIED'];
  t.equal(offenceOf(lowered), 0);
  t.equal(offenceOf([...lowered, 'KYA_SCORE_STEP_UP']), 0);
  t.equal(offenceOf(['MCC_BLOCKED', ...lowered]), 1, 'others count as before');
  t.equal(offenceOf([...lowered, 'DAILY_COUNT_EXCEEDED']), 0.5);
  t.end();
});

test('of what asks for a human, only asking too often is a violation', (t) => {
  const challenges = reasons.filter(({ code }) => effectOf(code) === 'STEP_UP');
  const offences = challenges.filter(({ code }) => offenceOf([code]) > 0);
  t.same(
    offences.map(({ code }) => [code, offenceOf([code])]),
    [['VELOCITY_BURST', 0.5]],
  );
  t.end();
});

/** What the agent did not do, or what is to be no reason against it. */
const unweighed = `
  AGENT_NOT_FOUND AGENT_SUSPENDED AGENT_REVOKED
  PRINCIPAL_NOT_VERIFIED PRINCIPAL_PROHIBITED PROGRAM_SUSPENDED
  VI_CHAIN_MALFORMED VI_CREDENTIAL_EXPIRED VI_CREDENTIAL_NOT_YET_VALID VI_BINDING_INVALID
  VI_AUDIENCE_MISMATCH VI_SUBJECT_MISMATCH VI_TRANSACTION_MISMATCH VI_CONSTRAINT_VIOLATED
  VI_MANDATE_CONSUMED VI_BUDGET_EXCEEDED VI_OCCURRENCES_EXCEEDED VI_DISCLOSURE_INCOMPLETE
  NO_ACTIVE_MANDATE MANDATE_EXPIRED COGNITIVE_LIMIT_APPLIED
  KYA_SCORE_BELOW_MINIMUM RISK_SCORE_HARD_DECLINE INTENT_ANOMALY_DECLINE FRAUD_SUSPECTED
  STEP_UP_CONFIRMED STEP_UP_DENIED SYSTEM_FAIL_SAFE`;

test('every reason to decline is a violation, or is named as none', (t) => {
  const declining = reasons.filter(({ code }) => effectOf(code) === 'DECLINE');
  const without = declining.map(({ code }) => code).filter((code) => offenceOf([code]) === 0);
  t.same(without, unweighed.trim().split(/\s+/));
  t.end();
});
