import { test } from 'tap';
import { type Standing, usable } from './standing.js';

const now = Date.parse('2026-11-21T12:00:00.000Z');
const hour = 3_600_000;

interface Given {
  rails?: string[];
  /** Hours from now; begun and created long ago unless said otherwise. */
  from?: number;
  until?: number;
  created?: number;
}

function mandate(id: string, { rails = ['card'], from = -48, until = 48, created = from }: Given) {
  const at = (hours: number): number => now + hours * hour;
  return {
    id,
    rails,
    validFrom: at(from),
    validUntil: at(until),
    createdAt: at(created),
  } satisfies Standing;
}

const idsOf = (...newestFirst: Standing[]): string =>
  usable(newestFirst, now, 100)
    .map(({ id }) => id)
    .join();

test('what a newer one stands before until its end is left out', (t) => {
  t.equal(idsOf(mandate('new', {}), mandate('old', {})), 'new');
  t.equal(idsOf(mandate('new', {}), mandate('longer', { until: 49 })), 'new,longer');
  t.equal(
    idsOf(mandate('short', { until: 1 }), mandate('new', {}), mandate('old', {})),
    'short,new',
  );
  t.end();
});

test('on all its rails', (t) => {
  const both = mandate('both', { rails: ['card', 'crypto'] });
  t.equal(idsOf(mandate('card', {}), both), 'card,both');
  t.equal(idsOf(both, mandate('card', {})), 'both');
  t.end();
});

test('what has still to begin stands before nothing', (t) => {
  const later = mandate('later', { from: 1, created: -1 });
  t.equal(idsOf(later, mandate('old', {})), 'later,old');
  t.equal(idsOf(mandate('at once', { from: 0 }), mandate('old', {})), 'at once');
  const justBegun = mandate('just begun', { from: -0.01, created: -1 });
  t.equal(idsOf(justBegun, mandate('old', {})), 'just begun,old', 'some clocks are behind');
  t.end();
});

test('none is left out of those of which each ends before the one it covers', (t) => {
  const nested = Array.from({ length: 300 }, (_, n) => mandate(String(n), { until: 1 + n }));
  t.equal(usable(nested, now, 1_000).length, 300);
  t.same(usable(nested, now, 2), nested.slice(0, 2), 'but the newest of them');
  t.end();
});
