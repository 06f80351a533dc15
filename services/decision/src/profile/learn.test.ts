import { newId } from '@countersign/kernel/id';
import { test } from 'tap';
import { amended, denial, learnAll, outcome, recorded, startedAt } from '../test/profile-events.js';
import { learn, type ProfileEvent } from './learn.js';
import { profileMessage } from './message.js';
import { packState, unpackState } from './packed-state.js';
import { maxMarks, type ProfileState } from './state.js';

const day = 24 * 60;

/** The published scores before and after a period of clean payments. */
function riseWithin(minutes: number, minutesApart: number): number {
  const agentId = newId('agent');
  const learning = {
    trustLevel: 'REGISTERED',
    agentCreatedAt: new Date(startedAt - 60 * day * 60_000).toISOString(),
    principalVerified: true,
    keyRegistered: true,
    maxAmountPerTransaction: '100.00',
    merchant: null,
    viVerified: false,
    anomalySkipped: true,
    trace: { task: '00000000000aa' },
  };
  let state: ProfileState | null = null;
  let first: number | undefined;
  for (let minute = 0; minute <= minutes; minute += minutesApart) {
    const event = recorded({ agentId, minute }, { kyaScore: 0.65, learning });
    ({ state } = learn(event, { state, entry: null }));
    first ??= profileMessage(agentId, state).kyaScore;
  }
  const last = profileMessage(agentId, state).kyaScore;
  return Number(((last ?? 0) - (first ?? 0)).toFixed(4));
}

test('a score rises by at most 0.05 a day, however often the agent pays', (t) => {
  for (const minutesApart of [0.25, 1, 1.44, 1.5, 5, 60]) {
    t.equal(riseWithin(day, minutesApart), 0.05, `a payment every ${minutesApart} minutes`);
  }
  t.equal(riseWithin(day / 2, 1), 0.025);
  t.end();
});

test('a published score is rounded to four decimals', (t) => {
  const events = [0, 1, 2].map((minute) => recorded({ agentId: 'agt_1', minute }));
  let state: ProfileState | null = null;
  for (const event of events) ({ state } = learn(event, { state, entry: null }));
  t.match(String(profileMessage('agt_1', state).kyaScore), /^0\.\d{1,4}$/);
  t.end();
});

test('the merit of an approval grows with the amount relative to the limit', (t) => {
  const worth = (amount: string, maxAmountPerTransaction: string | null): number | undefined => {
    const { learning } = recorded({ agentId: 'agt_1' }).data;
    if (!learning) throw new Error('a judged decision must have learning data');
    const changes = { amount, learning: { ...learning, maxAmountPerTransaction } };
    const { entry } = learn(recorded({ agentId: 'agt_1' }, changes), { state: null, entry: null });
    return entry.decided?.merit;
  };
  t.equal(worth('0.05', '100.00'), 0.11);
  t.equal(worth('2.50', '100.00'), 0.6);
  t.equal(worth('4.50', '100.00'), 1);
  t.equal(worth('90', '100.00'), 1);
  t.equal(worth('2.50', '0'), 0.1);
  t.equal(worth('2.50', null), 0.1);
  t.throws(() => worth('not an amount', '100.00'), TypeError);
  t.end();
});

/** The counters after events of one authorization, without the little that they decay. */
function countersAfter(...events: ProfileEvent[]): Partial<ProfileState['decayed']> {
  const rounded = Object.entries(learnAll(events)?.decayed ?? {}).map(([name, count]) => {
    return [name, Number(count.toFixed(3))];
  });
  return Object.fromEntries(rounded);
}

test('what a decision adds to the share of chargebacks and to the consistency', (t) => {
  const ids = { agentId: 'agt_1', authorizationId: 'auth_1' };
  const { learning } = recorded(ids).data;
  if (!learning) throw new Error('a judged decision must have learning data');
  const compared = { intentAnomalyScore: 0.25, learning: { ...learning, anomalySkipped: false } };
  const charged = [recorded(ids), outcome(ids, 'CHARGEBACK')];
  t.match(countersAfter(recorded(ids)), { chargeable: 1, chargebacks: 0, consistencyCount: 0 });
  t.match(countersAfter(...charged), { chargeable: 1, chargebacks: 1 });
  const resolved = outcome(ids, 'DISPUTE_RESOLVED');
  t.match(countersAfter(...charged, resolved), { chargeable: 1, chargebacks: 0 });
  for (const decision of ['APPROVE', 'DECLINE'] as const) {
    t.match(countersAfter(recorded(ids, { decision, ...compared })), {
      ...{ consistencyCount: 1, consistencySum: 0.75 },
      chargeable: decision === 'APPROVE' ? 1 : 0,
    });
  }
  t.end();
});

test('an approval with a verified intent counts as one, a decline does not', (t) => {
  const { learning } = recorded({ agentId: 'agt_1' }).data;
  if (!learning) throw new Error('a judged decision must have learning data');
  const after = (decision: 'APPROVE' | 'DECLINE', viVerified: boolean) =>
    countersAfter(
      recorded({ agentId: 'agt_1' }, { decision, learning: { ...learning, viVerified } }),
    );
  t.match(after('APPROVE', true), { approvals: 1, verifiedApprovals: 1 });
  t.match(after('APPROVE', false), { approvals: 1, verifiedApprovals: 0 });
  t.match(after('DECLINE', true), { approvals: 0, verifiedApprovals: 0 });
  t.end();
});

const badAfter = (...events: ProfileEvent[]) => countersAfter(...events).complianceBad;

test('an expired challenge weighs little, and nothing if it was answered after all', (t) => {
  const ids = { agentId: 'agt_1', authorizationId: 'auth_1' };
  const asked = recorded(ids, { decision: 'STEP_UP' });
  const expired = amended({ ...ids, minute: 5 }, 'STEP_UP_EXPIRED');
  const confirmed = amended({ ...ids, minute: 5 }, 'STEP_UP_CONFIRMED');
  const refused = denial({ ...ids, minute: 5 });
  t.equal(badAfter(asked), 0);
  t.equal(badAfter(asked, expired), 0.25);
  t.equal(badAfter(expired, asked), 0.25, 'the expiry arrives before the decision');
  t.equal(badAfter(asked, expired, expired), 0.25, 'once');
  t.equal(badAfter(asked, expired, confirmed), 0, 'answered at the last moment after all');
  t.equal(badAfter(asked, confirmed, expired), 0);
  t.equal(badAfter(asked, expired, refused), badAfter(asked, refused, expired));
  t.end();
});

test('a challenge for asking too often weighs as a violation, unless a human confirms it', (t) => {
  const ids = { agentId: 'agt_1', authorizationId: 'auth_1' };
  const asked = recorded(ids, { decision: 'STEP_UP', reasonCodes: ['VELOCITY_BURST'] });
  const expired = amended({ ...ids, minute: 5 }, 'STEP_UP_EXPIRED');
  const confirmed = amended({ ...ids, minute: 5 }, 'STEP_UP_CONFIRMED');
  const refused = denial({ ...ids, minute: 5 });
  t.equal(badAfter(asked), 0.5);
  t.equal(badAfter(asked, expired), 0.5, 'silence excuses nothing');
  t.equal(badAfter(asked, refused), 2);
  t.equal(badAfter(asked, confirmed), 0);
  t.equal(badAfter(asked, expired, confirmed), 0);
  t.end();
});

test('a challenge that ends with its agent weighs what was asked, and no denial', (t) => {
  const ids = { agentId: 'agt_1', authorizationId: 'auth_1' };
  const revoked = amended({ ...ids, minute: 5 }, 'STEP_UP_DENIED');
  const asked = (...reasonCodes: string[]) => recorded(ids, { decision: 'STEP_UP', reasonCodes });
  t.equal(badAfter(asked('AMOUNT_STEP_UP'), revoked), 0);
  t.equal(badAfter(asked('VELOCITY_BURST'), revoked), 0.5);
  t.end();
});

test('only an approval counts in favour, whatever else a request was refused for', (t) => {
  const ids = { agentId: 'agt_1', authorizationId: 'auth_1' };
  const refusals = ['KYA_SCORE_BELOW_MINIMUM', 'NO_ACTIVE_MANDATE', 'AMOUNT_EXCEEDS_PER_TXN'];
  for (const code of refusals) {
    const declined = recorded(ids, { decision: 'DECLINE', reasonCodes: [code] });
    t.match(countersAfter(declined), { complianceGood: 0 }, code);
  }
  const asked = recorded(ids, { decision: 'STEP_UP', reasonCodes: ['AMOUNT_STEP_UP'] });
  const expired = amended({ ...ids, minute: 5 }, 'STEP_UP_EXPIRED');
  const confirmed = amended({ ...ids, minute: 5 }, 'STEP_UP_CONFIRMED');
  t.match(countersAfter(asked), { complianceGood: 0 });
  t.match(countersAfter(asked, expired), { complianceGood: 0 });
  t.match(countersAfter(asked, confirmed), { complianceGood: 1 });
  t.match(countersAfter(recorded(ids)), { complianceGood: 1 });
  t.end();
});

test('of the outcomes of an authorization only the most severe counts', (t) => {
  const ids = { agentId: 'agt_1', authorizationId: 'auth_1' };
  const [paid, settled] = [recorded(ids), outcome({ ...ids, minute: 1 }, 'SETTLED')];
  const then = (type: string) => outcome({ ...ids, minute: 2 }, type);
  t.match(countersAfter(paid, settled), { outcomeGood: 1, outcomeBad: 0 });
  const charged = [paid, settled, then('CHARGEBACK')];
  t.match(countersAfter(...charged), { outcomeGood: 0, outcomeBad: 10 });
  const complaint = [paid, then('MERCHANT_COMPLAINT'), settled];
  t.match(countersAfter(...complaint), { outcomeGood: 0, outcomeBad: 3 }, 'in any order');
  t.match(
    countersAfter(...charged, then('DISPUTE_RESOLVED')),
    { outcomeGood: 1, outcomeBad: 0 },
    'a resolved dispute leaves what was good',
  );
  t.match(countersAfter(...charged, then('MERCHANT_COMPLAINT'), then('DISPUTE_RESOLVED')), {
    outcomeGood: 0,
    outcomeBad: 3,
  });
  t.end();
});

test('each outcome has its weight, on one side only', (t) => {
  const ids = { agentId: 'agt_1', authorizationId: 'auth_1' };
  const weights: Array<[type: string, good: number, bad: number]> = [
    ['SETTLED', 1, 0],
    ['CLEARED', 1, 0],
    ['PRINCIPAL_CONFIRMED_LEGITIMATE', 3, 0],
    ['MERCHANT_COMPLAINT', 0, 3],
    ['CHARGEBACK', 0, 10],
    ['PRINCIPAL_CONFIRMED_UNAUTHORIZED', 0, 15],
    ['CONFIRMED_FRAUD', 0, 20],
    ['DISPUTE_RESOLVED', 0, 0],
  ];
  for (const [type, outcomeGood, outcomeBad] of weights) {
    t.match(countersAfter(recorded(ids), outcome(ids, type)), { outcomeGood, outcomeBad }, type);
  }
  t.end();
});

test('an outcome counts from its first report, whichever arrives first', (t) => {
  const ids = { agentId: 'agt_1', authorizationId: 'auth_1' };
  const paid = learn(recorded(ids), { state: null, entry: null });
  const reports = [1, 2].map((minute) => outcome({ ...ids, minute }, 'CHARGEBACK'));
  const [inOrder, overtaken] = [reports, [...reports].reverse()].map((events) =>
    events.reduce((learnt, event) => learn(event, learnt), paid),
  );
  t.strictSame(overtaken?.entry, inOrder?.entry);
  t.strictSame(overtaken?.state?.marks, inOrder?.state?.marks);
  t.strictSame(overtaken?.state?.outcomeCounts, { CHARGEBACK: 1 });
  t.end();
});

test('a chargeback marks its agent alone', (t) => {
  const subject = { agentId: 'agt_1', authorizationId: newId('authorization') };
  const paid = learn(recorded(subject), { state: null, entry: null });
  const { state: charged } = learn(outcome(subject, 'CHARGEBACK'), paid);
  t.equal(charged?.marks.chargeback.length, 1);
  t.strictSame(charged?.outcomeCounts, { CHARGEBACK: 1 });
  const { state } = learn(recorded({ agentId: 'agt_2' }), { state: null, entry: null });
  t.strictSame(state?.marks, { fraud: [], unauthorized: [], chargeback: [], keyFailure: [] });
  t.strictSame(state?.outcomeCounts, {});
  for (const each of [charged, state] as ProfileState[]) {
    t.strictSame(unpackState(packState(each)), each, 'after it was stored and read');
  }
  t.end();
});

test('a reported false positive takes the violation back', (t) => {
  const ids = { agentId: 'agt_1', authorizationId: 'auth_1' };
  const declined = recorded(ids, { decision: 'DECLINE', reasonCodes: ['MCC_BLOCKED'] });
  const cleared = outcome({ ...ids, minute: 1 }, 'FALSE_POSITIVE_REPORTED');
  t.match(countersAfter(declined), { complianceBad: 1 });
  const expected = { complianceBad: 0, complianceGood: 0, outcomeGood: 1 };
  t.match(countersAfter(declined, cleared), expected);
  t.match(countersAfter(cleared, declined), expected, 'in any order');
  t.end();
});

/** The profile of an agent after events of any of its authorizations. */
function profileAfter(...events: ProfileEvent[]): ProfileState {
  const state = learnAll(events);
  if (!state) throw new Error('nothing was learnt');
  return state;
}

test('a payment succeeds until all of it is given back; a voided one is nothing', (t) => {
  const ids = { agentId: 'agt_1', authorizationId: 'auth_1' };
  const paid = recorded(ids);
  const totals = (...events: ProfileEvent[]) => profileAfter(paid, ...events).totals;
  const approved = { total: 1, approved: 1, declined: 0, successful: 1 };
  t.same(totals(), approved);
  t.same(totals(amended(ids, 'REVERSED', '9.99')), approved);
  const [some, rest] = [amended(ids, 'REVERSED', '4.00'), amended(ids, 'REVERSED', '6.00')];
  t.same(totals(some, rest), { ...approved, successful: 0 });
  const nothing = { total: 0, approved: 0, declined: 0, successful: 0 };
  t.same(totals(amended(ids, 'VOIDED')), nothing);
  t.same(totals(outcome(ids, 'CONFIRMED_FRAUD'), amended(ids, 'VOIDED')), nothing);
  const asked = recorded(ids, { decision: 'STEP_UP' });
  for (const end of [denial(ids), amended(ids, 'STEP_UP_DENIED')]) {
    const declined = { total: 1, approved: 0, declined: 1, successful: 0 };
    t.same(profileAfter(asked, end).totals, declined);
  }
  t.end();
});

test('reports and failed keys mark the agent, and a resolved dispute unmarks it', (t) => {
  const ids = { agentId: 'agt_1', authorizationId: 'auth_1' };
  const numbers = (...events: ProfileEvent[]) =>
    Object.entries(profileAfter(...events).marks).flatMap(([kind, { length }]) =>
      length > 0 ? `${length} ${kind}` : [],
    );
  const paid = recorded(ids);
  const fraud = outcome(ids, 'CONFIRMED_FRAUD');
  const charged = outcome(ids, 'CHARGEBACK');
  t.same(numbers(paid, fraud), ['1 fraud']);
  t.same(numbers(paid, outcome(ids, 'PRINCIPAL_CONFIRMED_UNAUTHORIZED')), ['1 unauthorized']);
  t.same(numbers(paid, charged, charged), ['1 chargeback']);
  t.same(numbers(paid, charged, fraud, outcome(ids, 'DISPUTE_RESOLVED')), ['1 fraud']);
  t.same(numbers(paid, fraud, amended(ids, 'VOIDED')), []);
  for (const code of ['VI_SIGNATURE_INVALID', 'VI_AGENT_KEY_MISMATCH']) {
    const forged = recorded(ids, { decision: 'DECLINE', reasonCodes: ['MCC_BLOCKED', code] });
    t.same(numbers(forged), ['1 keyFailure'], code);
  }
  t.end();
});

test('a repeated report does not renew the mark of the first', (t) => {
  const ids = { agentId: 'agt_1', authorizationId: 'auth_1' };
  const again = outcome({ ...ids, minute: 60 }, 'CHARGEBACK');
  const { marks } = profileAfter(recorded(ids), outcome(ids, 'CHARGEBACK'), again);
  t.same(marks.chargeback, [{ authorizationId: 'auth_1', at: startedAt }]);
  t.end();
});

test('of many marks the newest are kept', (t) => {
  const minutes = Array.from({ length: maxMarks + 4 }, (_, minute) => minute);
  const events = minutes.flatMap((minute) => {
    const subject = { agentId: 'agt_1', authorizationId: newId('authorization'), minute };
    return [recorded(subject), outcome(subject, 'CHARGEBACK')];
  });
  const { chargeback } = profileAfter(...events).marks;
  const kept = chargeback.map(({ at }) => (at - startedAt) / 60_000);
  t.same(kept, minutes.reverse().slice(0, maxMarks));
  t.end();
});
