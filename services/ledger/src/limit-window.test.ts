import { test } from 'tap';
import { limitWindow } from './limit-window.js';

test('windows are UTC calendar days and months', (t) => {
  t.same(limitWindow(Date.parse('2026-02-28T23:59:59.999Z')), {
    day: '2026-02-28',
    month: '2026-02',
  });
  t.same(limitWindow(Date.parse('2026-03-01T00:00:00.000Z')), {
    day: '2026-03-01',
    month: '2026-03',
  });
  t.same(limitWindow(Date.parse('2026-12-31T23:00:00-05:00')), {
    day: '2027-01-01',
    month: '2027-01',
  });
  t.end();
});
