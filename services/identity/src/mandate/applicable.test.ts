import { test } from 'tap';
import { type MandateSummary, withoutSuperseded } from './applicable.js';

const now = Date.parse('2026-11-21T12:00:00.000Z');
const hour = 3_600_000;

interface Given {
  rails?: string[];
  /** Hours from now; by default in effect and created two days ago. */
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
  } satisfies MandateSummary;
}

const idsOf = (...newestFirst: MandateSummary[]): string =>
  withoutSuperseded(newestFirst, now, 100)
    .map(({ id }) => id)
    .join();

test('a mandate that a newer one supersedes until its end is omitted', (t) => {
  t.equal(idsOf(mandate('new', {}), mandate('old', {})), 'new');
  const short = mandate('short', { until: 0.5 });
  t.equal(idsOf(short, mandate('longer', { until: 0.6 })), 'short,longer');
  t.equal(idsOf(short, mandate('new', {}), mandate('old', {})), 'short,new');
  t.end();
});

test('one that outlasts all who have read it may end before the older one', (t) => {
  t.equal(idsOf(mandate('new', { until: 2 }), mandate('longer', { until: 49 })), 'new');
  t.end();
});

test('a mandate is superseded only if the newer one covers all its rails', (t) => {
  const both = mandate('both', { rails: ['card', 'crypto'] });
  t.equal(idsOf(mandate('card', {}), both), 'card,both');
  t.equal(idsOf(both, mandate('card', {})), 'both');
  t.end();
});

test('a mandate that is not in effect yet supersedes none', (t) => {
  const later = mandate('later', { from: 1, created: -1 });
  t.equal(idsOf(later, mandate('old', {})), 'later,old');
  t.equal(idsOf(mandate('at once', { from: 0 }), mandate('old', {})), 'at once');
  const justBegun = mandate('just begun', { from: -0.01, created: -1 });
  t.equal(idsOf(justBegun, mandate('old', {})), 'just begun,old', 'clocks may be behind');
  t.end();
});

test('those in force, and those that are not yet or no longer, have limits of their own', (t) => {
  const later = [
    mandate('a', { from: 0.5, created: -1 }),
    mandate('b', { from: 0.5, created: -1 }),
  ];
  const ended = [mandate('c', { until: -0.01 })];
  const inForce = [mandate('d', { until: 0.5 }), mandate('e', {}), mandate('f', {})];
  const kept = withoutSuperseded([...later, ...ended, ...inForce], now, 2);
  t.equal(kept.map(({ id }) => id).join(), 'a,b,d,e');
  t.end();
});

test('none is omitted of a series in which each ends before the older ones', (t) => {
  const until = (n: number): number => 0.5 + n / 1_000;
  const nested = Array.from({ length: 300 }, (_, n) => mandate(String(n), { until: until(n) }));
  t.equal(withoutSuperseded(nested, now, 1_000).length, 300);
  t.same(withoutSuperseded(nested, now, 2), nested.slice(0, 2), 'up to the limit, the newest');
  t.end();
});
