import { test } from 'tap';
import { noThresholds } from '../state/cache.js';
import { outcome, recorded } from '../test/profile-events.js';
import { learn } from './learn.js';
import { levelAfter } from './trust.js';

test('a level earned after a report of fraud is not lost with the next event of it', (t) => {
  const ids = { agentId: 'agt_1', authorizationId: 'auth_1' };
  const paid = learn(recorded(ids), { state: null, entry: null });
  const reported = learn(outcome(ids, 'CONFIRMED_FRAUD'), paid);
  const settled = learn(outcome(ids, 'SETTLED'), reported);
  if (!settled.state) return t.fail('the payment was not learnt');
  const state = { ...settled.state, trust: { level: 'TRUSTED', toldAt: 0 } as const };
  const level = (before: typeof paid, after: typeof paid) =>
    levelAfter(state, { before: before.entry, after: after.entry }, noThresholds.resolved);
  t.equal(level(paid, reported), 'REGISTERED', 'the report itself costs every level');
  t.equal(level(reported, settled), 'TRUSTED');
  return t.end();
});
