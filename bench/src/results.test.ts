import { test } from 'tap';
import { combined, type Summary } from './results.js';

const machine = { cores: 2, model: 'one', memoryGb: 24, node: '20.19.0' };
const elsewhere = { ...machine, cores: 64, model: 'another' };

function summary(on: Summary['machine'], measuredAt: string, ...ids: string[]): Summary {
  const rows = ids.map((id) => ({ id, values: null, problem: null, measuredAt }));
  return { machine: on, rows, cpuByProcess: { [measuredAt]: { ledger: 1 } } };
}

test('a run replaces the rows that it has measured', (t) => {
  const found = combined(
    summary(machine, 'before', 'P1', 'P2'),
    summary(machine, 'now', 'P10', 'P1'),
  );
  t.same(
    found?.rows.map(({ id, measuredAt }) => `${id} ${measuredAt}`),
    ['P1 now', 'P2 before', 'P10 now'],
  );
  t.same(Object.keys(found?.cpuByProcess ?? {}), ['before', 'now']);
  t.end();
});

test('rows of two machines are never in one summary', (t) => {
  const before = summary(machine, 'before', 'P1', 'P2');
  t.equal(combined(before, summary(elsewhere, 'now', 'P1')), null);
  const whole = summary(elsewhere, 'now', 'P1', 'P2');
  t.same(combined(before, whole), whole);
  t.end();
});
