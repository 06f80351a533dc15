import { test } from 'tap';
import { dayAt, startOfDay } from './day.js';

test('a day is from its first moment to that of the next, however long it is', (t) => {
  process.env.TZ = 'Europe/Berlin';
  t.equal(startOfDay('2026-11-29'), '2026-11-28T23:00:00.000Z');
  t.equal(startOfDay('2026-10-25', 1), '2026-10-25T23:00:00.000Z', 'a day of 25 hours');
  t.equal(startOfDay('2026-12-31', 1), '2026-12-31T23:00:00.000Z');
  for (const day of ['2026-01-01', '2026-03-29', '2026-10-25', '2028-02-29']) {
    t.equal(dayAt(startOfDay(day)), day);
    t.equal(dayAt(startOfDay(day, 1), 1), day);
  }
  for (const wrong of ['', '29.11.2026', '2026-11']) t.equal(startOfDay(wrong), undefined);
  t.equal(dayAt('yesterday'), '');
  t.equal(dayAt(undefined), '');
  t.end();
});
