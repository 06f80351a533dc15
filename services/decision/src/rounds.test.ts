import { Metrics } from '@countersign/runtime/metrics';
import { test } from 'tap';
import { decisionMetrics } from './decision-metrics.js';
import { Rounds } from './rounds.js';

const newRounds = (): Rounds => new Rounds(decisionMetrics(new Metrics('test')));

function thrown(rounds: Rounds, outcome: string): unknown {
  try {
    rounds.count(outcome);
  } catch (error) {
    return error;
  }
  return null;
}

const most = {
  limits_differ: 4,
  stale: 3,
  challenges_full: 4,
  basis_unknown: 2,
  intent_differs: 4,
};

test('a decision is proposed again for each reason so often, and no more', (t) => {
  const rounds = newRounds();
  for (const [outcome, times] of Object.entries(most)) {
    for (let made = 0; made < times; made += 1) rounds.count(outcome);
  }
  for (const outcome of Object.keys(most)) {
    t.match(thrown(rounds, outcome), { kind: 'unavailable', internal: `still ${outcome}` });
  }
  t.end();
});

test('no other outcome is a round', (t) => {
  for (const outcome of ['recorded', '', 'constructor']) {
    const fault = { kind: 'unavailable', internal: `the ledger answered ${outcome}` };
    t.match(thrown(newRounds(), outcome), fault);
  }
  t.end();
});
