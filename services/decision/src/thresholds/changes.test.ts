import assert from 'node:assert/strict';
import { Fault } from '@countersign/kernel/fault';
import { thresholdTable } from '@countersign/kernel/threshold';
import fc from 'fast-check';
import { test } from 'tap';
import { applyChanges } from './changes.js';
import {
  defaultThresholds,
  type Overrides,
  publicThresholds,
  resolveThresholds,
  type ThresholdOrder,
  thresholdOrders,
} from './table.js';

function refusal(current: Overrides, changes: unknown): Fault | null {
  try {
    applyChanges(current, changes);
    return null;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error;
  }
}

function problems(current: Overrides, changes: unknown): string[] {
  const fault = refusal(current, changes);
  if (!fault) return [];
  return (fault.errors ?? [{ field: '', type: fault.code }]).map(
    ({ field, type }) => `${field} ${type}`,
  );
}

test('the defaults are within their bounds and in order', (t) => {
  const all = Object.fromEntries(
    Object.entries(publicThresholds(defaultThresholds)).filter(([, value]) => value !== null),
  );
  t.strictSame(problems({}, all), []);
  t.equal(thresholdTable.length, 24);
  t.end();
});

test('only fields whose resolved value changes are reported', (t) => {
  const { changed, overrides } = applyChanges(
    { risk_score_step_up: 0.5 },
    { authorize_min_kya_score: 0.1, cts_red_threshold: 0.25, risk_score_step_up: 0.5 },
  );
  t.strictSame(changed, ['cts_red_threshold']);
  t.strictSame(overrides, {
    risk_score_step_up: 0.5,
    authorize_min_kya_score: 0.1,
    cts_red_threshold: 0.25,
  });
  t.end();
});

test('null reverts a field, also one whose default is null', (t) => {
  const set = { step_up_amount_threshold: '50.00', cts_red_threshold: 0.25 };
  const { changed, overrides } = applyChanges(set, {
    step_up_amount_threshold: null,
    cts_red_threshold: null,
    velocity_burst_count: null,
  });
  t.strictSame(changed, ['cts_red_threshold', 'step_up_amount_threshold']);
  t.strictSame(overrides, {});
  t.end();
});

test('all problems are reported at once, and nothing is applied', (t) => {
  t.strictSame(
    problems(
      {},
      {
        nonsense: 1,
        cts_red_threshold: '0.3',
        velocity_burst_count: 1.5,
        risk_score_step_up: 0.01,
        verified_max_decline_rate: 1.1,
        step_up_amount_threshold: '-1',
        new_merchant_step_up_amount: '50.12345',
      },
    ),
    [
      'nonsense unrecognized_keys',
      'cts_red_threshold invalid_type',
      'velocity_burst_count invalid_type',
      'risk_score_step_up too_small',
      'verified_max_decline_rate too_big',
      'step_up_amount_threshold invalid_type',
      'new_merchant_step_up_amount too_many_decimals',
    ],
  );
  t.strictSame(problems({}, { new_merchant_step_up_amount: 5 }), [
    'new_merchant_step_up_amount invalid_type',
  ]);
  t.end();
});

test('a threshold may be either of its bounds, and nothing beyond them', (t) => {
  for (const row of thresholdTable) {
    if (row.kind === 'amount') continue;
    const { field, min, max } = row;
    const ofBounds = (value: number): string[] =>
      problems({}, { [field]: value }).filter((problem) => !problem.endsWith(' order'));
    for (const bound of [min, max]) t.strictSame(ofBounds(bound), [], `${field} ${bound}`);
    t.strictSame(ofBounds(min - 1), [`${field} too_small`]);
    t.strictSame(ofBounds(max + 1), [`${field} too_big`]);
  }
  t.end();
});

test('the order of the zones is checked on the resulting values', (t) => {
  t.strictSame(problems({}, { cts_red_threshold: 0.4 }), ['cts_red_threshold order']);
  t.strictSame(problems({}, { cts_red_threshold: 0.45, cts_amber_threshold: 0.5 }), []);
  t.strictSame(
    problems({ cts_amber_threshold: 0.5, cts_red_threshold: 0.45 }, { cts_amber_threshold: null }),
    ['cts_amber_threshold order'],
  );
  t.strictSame(problems({}, { intent_anomaly_step_up: 0.95 }), [], 'these two may be equal');
  t.strictSame(problems({}, { risk_score_step_up: 0.85 }), ['risk_score_step_up order']);
  t.end();
});

test('a value that is wrong alone is not said to be inconsistent with others', (t) => {
  const wrong = refusal({}, { step_up_amount_threshold: '50.12345' });
  t.match(wrong, {
    message: 'Not every value is valid; nothing was changed.',
    errors: [{ message: 'step_up_amount_threshold must have at most 4 decimals' }],
  });
  t.equal(refusal({}, { step_up_amount_threshold: '50.12340' }), null);
  t.match(refusal({}, { nonsense: 1 })?.message, /^Not every value/);
  t.match(refusal({}, { cts_red_threshold: 0.5 })?.message, /would not be consistent/);
  t.end();
});

test('the order names what was sent, and both values', (t) => {
  const told = (changes: object, current: Overrides = {}) =>
    refusal(current, changes)?.errors?.map(({ field, message }) => {
      t.ok(message.startsWith(`${field} (`), 'the field that it starts with');
      return message;
    });
  t.strictSame(told({ cts_green_threshold: 0.3 }), [
    'cts_green_threshold (0.3) must be above cts_amber_threshold (0.4)',
  ]);
  t.strictSame(told({ cts_amber_threshold: 0.7 }), [
    'cts_amber_threshold (0.7) must be below cts_green_threshold (0.7)',
  ]);
  t.strictSame(told({ cts_green_threshold: 0.1, cts_red_threshold: 0.5 }), [
    'cts_green_threshold (0.1) must be above cts_amber_threshold (0.4)',
    'cts_red_threshold (0.5) must be below cts_amber_threshold (0.4)',
  ]);
  t.strictSame(told({ cts_green_threshold: 0.3, cts_amber_threshold: 0.35 }), [
    'cts_amber_threshold (0.35) must be below cts_green_threshold (0.3)',
  ]);
  t.strictSame(told({ trusted_min_successful_txns: 10 }), [
    'trusted_min_successful_txns (10) must be at least verified_min_successful_txns (50)',
  ]);
  t.strictSame(told({ verified_max_decline_rate: null }, { trusted_max_decline_rate: 0.06 }), [
    'verified_max_decline_rate (0.05) must be at least trusted_max_decline_rate (0.06)',
  ]);
  t.end();
});

test('a value that is empty or not an object is malformed', (t) => {
  for (const changes of [{}, null, 1, [1], 'x']) {
    t.strictSame(problems({}, changes), [' BAD_REQUEST'], JSON.stringify(changes));
  }
  t.strictSame(problems({}, JSON.parse('{"__proto__": 1}')), ['__proto__ unrecognized_keys']);
  t.end();
});

test('any sequence of changes keeps the zones ordered or is refused', (t) => {
  const change = fc
    .constantFrom(...thresholdTable)
    .chain((row) =>
      fc.tuple(
        fc.constant(row.field),
        fc.oneof(fc.constant(null), fc.double({ min: 0, max: 1, noNaN: true }), fc.integer()),
      ),
    );
  fc.assert(
    fc.property(fc.array(fc.array(change, { minLength: 1, maxLength: 5 })), (puts) => {
      let set: Overrides = {};
      for (const put of puts) {
        set = afterPut(set, Object.fromEntries(put));
        assert.deepEqual(outOfOrder(set), []);
      }
    }),
    { numRuns: 500 },
  );
  t.end();
});

function afterPut(set: Overrides, changes: unknown): Overrides {
  try {
    return applyChanges(set, changes).overrides;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return set;
  }
}

function outOfOrder(set: Overrides): ThresholdOrder[] {
  const resolved = resolveThresholds(set);
  return thresholdOrders.filter(({ lower, upper, orEqual }) => {
    const [low, high] = [Number(resolved[lower]), Number(resolved[upper])];
    return low > high || (low === high && !orEqual);
  });
}
