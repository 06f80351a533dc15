import { test } from 'tap';
import type { Entry, Explanation } from './api/shapes.js';
import { judgedAnew } from './judged-anew.js';

const entry = {
  reason_codes: ['STEP_UP_CONFIRMED'],
  decision_history: [
    { decision: 'STEP_UP', reason_codes: ['AMOUNT_STEP_UP'] },
    { decision: 'APPROVE', reason_codes: ['STEP_UP_CONFIRMED'] },
  ],
} as unknown as Entry;

const found = (explanation: Partial<Explanation>) => judgedAnew(entry, explanation as Explanation);

const evaluatedWith = (hash: string) => ({ rule_set: 'rules-4', models: {}, policy_hash: hash });

test('another result of the same rules is not taken for that of a release', (t) => {
  const policy = { policy_hash: 'sha256:then', evaluated_with: evaluatedWith('sha256:then') };
  t.equal(found({ ...policy, facts_intact: true, reproduced: true }).state, 'same');
  t.equal(found({ ...policy, facts_intact: true, reproduced: false }).state, 'unexplained');
  t.equal(found({ ...policy, facts_intact: false, reproduced: false }).state, 'facts-changed');
  t.end();
});

test('an intact decision that other rules judge today is no changed decision', (t) => {
  t.same(found({ facts_intact: true, reproduced: true }), { state: 'same' });
  const released = { policy_hash: 'sha256:then', evaluated_with: evaluatedWith('sha256:now') };
  const today = ['MCC_BLOCKED'];
  t.same(
    found({ ...released, facts_intact: true, reproduced: false, reason_codes: today }),
    { state: 'otherwise', once: ['AMOUNT_STEP_UP'], today },
    'beside the first decision, not beside what a human said of it',
  );
  t.same(found({ facts_intact: false, reproduced: false }), { state: 'facts-changed' });
  t.same(found({ facts_intact: false, reproduced: true }), { state: 'facts-changed' });
  t.same(found({}), { state: 'never' }, 'nothing was judged');
  t.end();
});
