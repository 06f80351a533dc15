/**
 * Tests of the checker: no violations for correct data, and each kind of violation for incorrect
 * data.
 */
import t from 'tap';
import type { SeenAnswer } from './checker/answers.js';
import type { RecordRow, Snapshot } from './checker/snapshot.js';
import { judge } from './checker.js';

const principalId = 'prn_1';
const mandateId = 'mnd_1';
const limits = new Map([[mandateId, { dailyAmount: '30.00', dailyCount: 3 }]]);

interface Case {
  snapshot: Snapshot;
  answers: SeenAnswer[];
  delivered: string[];
}

/** Every decline here is a fail-safe one. */
function reasonsOf(decision: string): string[] {
  return decision === 'DECLINE' ? ['SYSTEM_FAIL_SAFE'] : [];
}

function answerOf(id: string, decision: string, used: [string, number]): string {
  const reasonCodes = reasonsOf(decision);
  return JSON.stringify({
    authorization_id: id,
    decision,
    reason_codes: reasonCodes,
    daily_amount_used: used[0],
    daily_count_used: used[1],
    monthly_amount_used: used[0],
    monthly_count_used: used[1],
  });
}

function recordOf(n: number, decision: string, used: [string, number]): RecordRow {
  const id = `auth_${n}`;
  return {
    id,
    principalId,
    mandateId,
    key: `key-${n}`,
    decision,
    reasonCodes: reasonsOf(decision),
    amount: '10.000000000000000000',
    dailyAmountLimit: '30',
    monthlyAmountLimit: null,
    dailyCountLimit: null,
    monthlyCountLimit: null,
    countedDay: decision === 'APPROVE' ? '2026-11-21' : null,
    answer: answerOf(id, decision, used),
    createdAt: String(1_000 * n),
  };
}

function eventOf(id: string, type: string, data: Record<string, string>) {
  return { payload: JSON.stringify({ id, type, data }), published: true };
}

function eventsOfTruth(): Snapshot['outbox'] {
  const fact = (n: number, decision: string) =>
    eventOf(`evt_${n}`, 'authorization.recorded', {
      authorizationId: `auth_${n}`,
      decision,
      amount: '10.00',
    });
  return [
    fact(1, 'APPROVE'),
    fact(2, 'APPROVE'),
    fact(3, 'APPROVE'),
    fact(4, 'DECLINE'),
    eventOf('evt_5', 'authorization.amended', {
      authorizationId: 'auth_2',
      amendment: 'REVERSED',
      amount: '5.00',
    }),
    eventOf('evt_6', 'authorization.amended', {
      authorizationId: 'auth_3',
      amendment: 'VOIDED',
      amount: '10.00',
    }),
    eventOf('evt_7', 'authorization.recorded', {
      authorizationId: 'auth_3',
      decision: 'DECLINE',
      amount: '10.00',
    }),
  ];
}

/**
 * A correct state: three approvals of which one is void and one partly reversed, and a fail-safe
 * answer.
 */
function truth(): Case {
  const records = [
    recordOf(1, 'APPROVE', ['10.00', 1]),
    recordOf(2, 'APPROVE', ['20.00', 2]),
    recordOf(3, 'APPROVE', ['30.00', 3]),
    recordOf(4, 'DECLINE', ['0.00', 0]),
  ];
  const told = answerOf('auth_3', 'DECLINE', ['0.00', 0]);
  const reversal = { countReleased: false, requestedBy: 'prn_1', reason: null };
  const outbox = eventsOfTruth();
  const snapshot: Snapshot = {
    records,
    stepUpAnswers: [],
    reversals: [
      { ...reversal, id: 'evt_a', authorizationId: 'auth_2', amount: '5' },
      {
        id: 'evt_b',
        authorizationId: 'auth_3',
        amount: '10',
        countReleased: true,
        requestedBy: 'system',
        reason: 'SYSTEM_FAIL_SAFE',
      },
    ],
    voids: [{ id: 'auth_3', answer: told }],
    firstAnswers: [],
    pending: [],
    expired: [],
    outcomes: [],
    usages: [
      {
        mandateId,
        day: '2026-11-21',
        dayAmount: '15',
        dayCount: '2',
        month: '2026-11',
        monthAmount: '15.0',
        monthCount: '2',
      },
    ],
    outbox,
  };
  const answers = records.map(({ id, key, answer }, index) => ({
    principalId,
    key,
    status: 200,
    text: id === 'auth_3' ? told : answer,
    sentAt: 1_000 * (index + 1) - 5,
    receivedAt: 1_000 * (index + 1) + 5,
  }));
  return { snapshot, answers, delivered: outbox.map(({ payload }) => payload) };
}

function nth<T>(items: T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no item ${index}`);
  return item;
}

const falsified: Record<string, [change: (of: Case) => void, found: RegExp]> = {
  'an approval too many': [
    ({ snapshot }) => {
      nth(snapshot.records, 0).amount = '26';
    },
    /mnd_1 on 2026-11-21: 31 approved of at most 30/,
  ],
  'a counter that lost an update': [
    ({ snapshot }) => {
      nth(snapshot.usages, 0).dayAmount = '5';
    },
    /stores usage/,
  ],
  'usage of nothing': [
    ({ snapshot }) => {
      snapshot.usages.push({ ...nth(snapshot.usages, 0), mandateId: 'mnd_2' });
    },
    /mnd_2 has used something/,
  ],
  'an approval that was above the limit when it was answered': [
    ({ snapshot, answers }) => {
      const answer = answerOf('auth_2', 'APPROVE', ['40.00', 2]);
      nth(snapshot.records, 1).answer = answer;
      nth(answers, 1).text = answer;
    },
    /after auth_2: 40 approved/,
  ],
  'a void that still holds money': [
    ({ snapshot }) => {
      snapshot.reversals.pop();
    },
    /auth_3 is void and still reserves 10/,
  ],
  'more given back than was reserved': [
    ({ snapshot }) => {
      nth(snapshot.reversals, 0).amount = '11';
    },
    /auth_2 gave back more/,
  ],
  'an answered approval that was lost': [
    ({ snapshot }) => {
      snapshot.records.shift();
    },
    /auth_1 was answered APPROVE; on record is nothing/,
  ],
  'a fail-safe answer that never came on record': [
    ({ snapshot }) => {
      snapshot.records.pop();
    },
    /auth_4 was answered DECLINE; on record is nothing/,
  ],
  'other bytes at the replay': [
    ({ answers }) => {
      const first = nth(answers, 0);
      answers.push({ ...first, text: `${first.text} `, sentAt: 9_000, receivedAt: 9_001 });
    },
    /auth_1 was answered APPROVE; on record is/,
  ],
  'one key, decided twice': [
    ({ snapshot, answers }) => {
      nth(snapshot.records, 1).key = 'key-1';
      nth(answers, 1).key = 'key-1';
    },
    /prn_1 key-1 was decided 2 times/,
  ],
  'an approval nobody was told of': [
    ({ answers }) => {
      answers.shift();
    },
    /auth_1 \(APPROVE\) is on record, and nobody was told/,
  ],
  'a server error': [
    ({ answers }) => {
      answers.push({ ...nth(answers, 0), status: 503, text: '' });
    },
    /answered 503/,
  ],
  'a challenge that waits for nothing': [
    ({ snapshot }) => {
      snapshot.pending.push('auth_1');
    },
    /auth_1 waits for an answer/,
  ],
  'a record without an event': [
    ({ snapshot, delivered }) => {
      snapshot.outbox.shift();
      delivered.shift();
    },
    /1 events are missing: auth_1 APPROVE 10/,
  ],
  'an event that was lost on the way': [
    ({ delivered }) => {
      delivered.pop();
    },
    /evt_7 \(auth_3 DECLINE 10\) was never delivered/,
  ],
  'an event of nothing': [
    ({ delivered }) => {
      delivered.push(nth(delivered, 0).replace('evt_1', 'evt_9'));
    },
    /evt_9 .* out of nowhere/,
  ],
  'an event whose repeat says something else': [
    ({ delivered }) => {
      delivered.push(nth(delivered, 0).replace('10.00', '11.00'));
    },
    /evt_1 says two things/,
  ],
};

t.test('the checker finds nothing wrong in what is right', (t) => {
  const { snapshot, ...evidence } = truth();
  const delivered = [...evidence.delivered, ...evidence.delivered];
  const { violations, figures } = judge(snapshot, { ...evidence, delivered, limits });
  t.same(violations, []);
  t.match(figures, { answers: 4, records: 4, safeOnRecord: 2, safeUnrecorded: 0, voids: 1 });
  t.end();
});

for (const [name, [change, found]] of Object.entries(falsified)) {
  t.test(`the checker notices ${name}`, (t) => {
    const { snapshot, ...evidence } = truth();
    change({ snapshot, ...evidence });
    t.match(judge(snapshot, { ...evidence, limits }).violations.join('\n'), found);
    t.end();
  });
}

t.test('a fail-safe answer that replays what was decided before needs no record', (t) => {
  const { snapshot, ...evidence } = truth();
  const text = answerOf('auth_8', 'DECLINE', ['0.00', 0]);
  const replay = { ...nth(evidence.answers, 0), text, sentAt: 900, receivedAt: 1_100 };
  const later = { ...evidence, answers: [...evidence.answers, replay], limits };
  t.same(judge(snapshot, later).violations, []);
  // Given before the decision, it was the first answer of its key.
  const first = { ...evidence, answers: [{ ...replay, receivedAt: 900 }], limits };
  t.match(judge(snapshot, first).violations.join('\n'), /auth_8 was answered DECLINE/);
  t.end();
});
