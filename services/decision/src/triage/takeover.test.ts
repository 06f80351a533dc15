import { test } from 'tap';
import { triaged } from '../test/profile-events.js';
import {
  emptyWatch,
  type Indicator,
  indicatorsIn,
  suspectTakeover,
  type Watch,
  withSighting,
} from './takeover.js';

const hour = 3_600_000;
const start = Date.parse('2026-11-21T12:00:00.000Z');

type Seen = readonly [Indicator, count: number];

/** Each sighting belongs to a different payment, an hour after the previous one. */
function watchOf(seen: readonly Seen[]): Watch {
  let watch = emptyWatch;
  let nth = 0;
  for (const [indicator, count] of seen) {
    for (let i = 0; i < count; i += 1) {
      nth += 1;
      const sighting = { authorizationId: `auth_${nth}`, at: start + nth * hour };
      watch = withSighting(watch, indicator, sighting);
    }
  }
  return watch;
}

/** The combinations documented in docs/events.md that suffice, and some that do not. */
const table: Array<[seen: Seen[], confidence: number | null, action?: string]> = [
  [[], null],
  [[['AGENT_KEY_FAILURES', 3]], null],
  [[['FRAUD_SUSPICIONS', 3]], null],
  [[['STEP_UPS_DENIED', 3]], null],
  [
    [
      ['AGENT_KEY_FAILURES', 1],
      ['INTENT_ANOMALIES', 1],
    ],
    null,
  ],
  [
    [
      ['AGENT_KEY_FAILURES', 2],
      ['INTENT_ANOMALIES', 1],
    ],
    0.748,
    'REVIEW_AGENT',
  ],
  [
    [
      ['FRAUD_SUSPICIONS', 1],
      ['STEP_UPS_DENIED', 1],
    ],
    null,
  ],
  [
    [
      ['FRAUD_SUSPICIONS', 2],
      ['STEP_UPS_DENIED', 1],
    ],
    0.766,
    'REVIEW_AGENT',
  ],
  [
    [
      ['FRAUD_SUSPICIONS', 3],
      ['LOW_TRUST_ZONE', 1],
    ],
    0.8056,
    'REVIEW_AGENT',
  ],
  [
    [
      ['INTENT_ANOMALIES', 3],
      ['LOW_TRUST_ZONE', 1],
    ],
    null,
  ],
  [
    [
      ['VELOCITY_BURSTS', 3],
      ['LOW_TRUST_ZONE', 3],
    ],
    null,
  ],
  [
    [
      ['INTENT_ANOMALIES', 3],
      ['VELOCITY_BURSTS', 1],
    ],
    0.7428,
    'REVIEW_AGENT',
  ],
  [
    [
      ['AGENT_KEY_FAILURES', 3],
      ['INTENT_ANOMALIES', 2],
    ],
    0.8942,
    'SUSPEND_AGENT',
  ],
  [
    [
      ['AGENT_KEY_FAILURES', 2],
      ['LOW_TRUST_ZONE', 9],
    ],
    0.7376,
    'REVIEW_AGENT',
  ],
];

for (const [seen, confidence, action] of table) {
  const what = seen.map(([indicator, count]) => `${count} ${indicator}`).join(', ') || 'nothing';
  test(`${what}: ${confidence ?? 'not suspected'}`, async (t) => {
    const { suspected } = suspectTakeover(watchOf(seen)) ?? {};
    t.equal(suspected?.confidence ?? null, confidence);
    if (!suspected) return;
    t.equal(suspected.recommendedAction, action);
    t.same([...suspected.indicators].sort(), seen.map(([indicator]) => indicator).sort());
    const most = seen.reduce((sum, [, count]) => sum + Math.min(3, count), 0);
    t.equal(suspected.authorizationIds.length, most, 'the authorizations that are its evidence');
  });
}

test('an agent is suspected at most once a day', async (t) => {
  const seen: Seen[] = [
    ['AGENT_KEY_FAILURES', 2],
    ['INTENT_ANOMALIES', 1],
  ];
  const found = suspectTakeover(watchOf(seen));
  t.ok(found);
  const again = (hours: number): Watch => {
    let watch = found?.watch ?? emptyWatch;
    for (const [nth, indicator] of (
      ['AGENT_KEY_FAILURES', 'AGENT_KEY_FAILURES', 'INTENT_ANOMALIES'] as const
    ).entries()) {
      const at = (found?.watch.suspectedAt ?? 0) + hours * hour + nth;
      watch = withSighting(watch, indicator, { authorizationId: `auth_late_${nth}`, at });
    }
    return watch;
  };
  t.equal(suspectTakeover(again(23)), null);
  t.match(suspectTakeover(again(24)), { suspected: { confidence: 0.748 } });
});

test('sightings a day before the latest no longer count', async (t) => {
  const seen: Seen[] = [
    ['AGENT_KEY_FAILURES', 3],
    ['INTENT_ANOMALIES', 1],
  ];
  const later = (hours: number): Watch => {
    const sighting = { authorizationId: 'auth_later', at: start + hours * hour };
    return withSighting(watchOf(seen), 'LOW_TRUST_ZONE', sighting);
  };
  t.match(suspectTakeover(later(24)), { suspected: { confidence: 0.8639 } });
  t.match(suspectTakeover(later(25)), { suspected: { confidence: 0.7732 } }, 'without the first');
  t.equal(suspectTakeover(later(27)), null, 'only the anomaly is left');
});

test('neither the order nor the repetition of events makes a difference', async (t) => {
  const sightings = [1, 2, 3, 4, 5].map((nth) => ({ authorizationId: `auth_${nth}`, at: nth % 2 }));
  const seen = (order: typeof sightings): Watch =>
    order.reduce((watch, each) => withSighting(watch, 'VELOCITY_BURSTS', each), emptyWatch);
  const inOrder = seen(sightings);
  t.same(seen([...sightings].reverse()), inOrder);
  t.same(seen([...sightings, ...sightings.slice(2)]), inOrder);
  t.equal(inOrder.sightings.VELOCITY_BURSTS?.length, 3, 'bounded');
});

test('the evidence of a suspicion is in the order of its times, each payment once', async (t) => {
  const seen: Array<[Indicator, string, number]> = [
    ['AGENT_KEY_FAILURES', 'auth_last', 3],
    ['AGENT_KEY_FAILURES', 'auth_both', 2],
    ['INTENT_ANOMALIES', 'auth_both', 2],
    ['INTENT_ANOMALIES', 'auth_first', 1],
  ];
  const watch = seen.reduce(
    (before, [indicator, authorizationId, hours]) =>
      withSighting(before, indicator, { authorizationId, at: start + hours * hour }),
    emptyWatch,
  );
  t.same(suspectTakeover(watch)?.suspected.authorizationIds, [
    'auth_first',
    'auth_both',
    'auth_last',
  ]);
});

test('the indicators of a decision', async (t) => {
  t.same(indicatorsIn(triaged({})), []);
  t.same(indicatorsIn(triaged({ decision: 'STEP_UP', reasonCodes: ['AMOUNT_STEP_UP'] })), []);
  t.same(indicatorsIn(triaged({ reasonCodes: ['VI_AGENT_KEY_MISMATCH'] })), ['AGENT_KEY_FAILURES']);
  t.same(indicatorsIn(triaged({ intentAnomalyTriggered: true, zone: 'RED' })), [
    'INTENT_ANOMALIES',
    'LOW_TRUST_ZONE',
  ]);
  t.same(indicatorsIn(triaged({ zone: 'CRITICAL' })), ['LOW_TRUST_ZONE']);
  t.same(indicatorsIn(triaged({}, { velocityIndicator: true })), ['VELOCITY_BURSTS']);
  t.same(indicatorsIn(triaged({ reasonCodes: ['VELOCITY_BURST', 'FRAUD_SUSPECTED'] })), [
    'FRAUD_SUSPICIONS',
    'VELOCITY_BURSTS',
  ]);
});
