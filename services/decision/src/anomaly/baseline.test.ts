import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import { Baseline, maxApproved, maxOthers, type TraceRow } from './baseline.js';
import { LatestRows } from './latest-rows.js';
import { normalText } from './normal-text.js';
import { packTrace } from './packed-trace.js';
import { RowSpace } from './row-space.js';
import { areSimilar, sketchOf, wordsOf } from './sketch.js';
import { medianOf, spreadOf } from './spread.js';

test('of rows the latest are kept, in order, whatever the order they come in', (t) => {
  const row = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 40 }));
  const rows = fc.uniqueArray(row, { selector: ([, name]) => name, maxLength: 40 });
  fc.assert(
    fc.property(rows, (given) => {
      const kept = new LatestRows(new RowSpace(2), 10);
      for (const one of given) kept.put(one);
      const latest = [...given].sort((a, b) => a[0] - b[0] || a[1] - b[1]).slice(-10);
      assert.deepEqual(rowsOf(kept), latest);
      // Two whole blocks of eight rows, and one that the oldest are leaving.
      assert.ok(kept.bytes <= 3 * 8 * 2 * 4);
    }),
  );
  t.end();
});

function rowsOf(rows: LatestRows): number[][] {
  return Array.from({ length: rows.count }, (_, at) => [...rows.row(at)]);
}

test('rows that are taken out and put in again leave the others as they were', (t) => {
  const step = fc.record({
    name: fc.integer({ min: 1, max: 20 }),
    at: fc.nat(9),
    out: fc.boolean(),
  });
  const space = new RowSpace(3);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const [kept, beside] = [new LatestRows(space, 12), new LatestRows(space, 12)];
      let expected: number[][] = [];
      for (const { name, at, out } of steps) {
        expected = expected.filter((row) => row[1] !== name);
        if (out) kept.remove(name);
        else kept.put([at, name, at + name]);
        if (!out) expected.push([at, name, at + name]);
        expected.sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0));
        expected = expected.slice(-12);
        beside.put([at, name, 0]);
        assert.deepEqual(rowsOf(kept), expected);
      }
      assert.ok(rowsOf(beside).every((row) => row[2] === 0));
    }),
  );
  t.end();
});

function traceRow(version: number, approved: boolean, at = version): TraceRow {
  const trace = { task: `${version}`.padStart(13, '0') };
  const packed = packTrace({ amount: '10.00', currency: 'USD', merchant: null, trace });
  return { version, approved, at, name: version, packed };
}

test('refusals, however many, take no place from approvals, and memory is bounded', (t) => {
  const baseline = new Baseline();
  for (let version = 1; version <= 300; version += 1) baseline.put(traceRow(version, true));
  const before = rowsOf(baseline.approved);
  for (let version = 301; version <= 900; version += 1) baseline.put(traceRow(version, false));
  t.equal(baseline.approved.count, maxApproved);
  t.equal(baseline.others.count, maxOthers);
  t.strictSame(rowsOf(baseline.approved), before);
  t.ok(baseline.weight <= 12_300);
  t.end();
});

test('a challenge that was confirmed is an approval and nothing else', (t) => {
  const baseline = new Baseline();
  baseline.put(traceRow(1, false));
  baseline.put({ ...traceRow(1, true), version: 2 });
  t.strictSame([baseline.others.count, baseline.approved.count], [0, 1]);
  t.end();
});

const alike = (one: string, other: string): boolean =>
  areSimilar(wordsOf(sketchOf(normalText(one))), wordsOf(sketchOf(normalText(other))), 0);
const text = 'Cheapest of three offers for the paper that the office ordered on Monday morning';

test('sketches of texts are alike where the texts are', (t) => {
  t.ok(alike(text, `  ${text.toUpperCase()} `));
  t.ok(alike(text, `${text}.`));
  t.notOk(alike(text, 'Flight to Lisbon for two adults, the only one without a stop'));
  t.notOk(alike(text, text.replace(/three.*that/, 'a flight to Lisbon which')));
  t.ok(alike('', ''));
  t.notOk(alike('a', 'b'));
  t.equal(sketchOf(text).length, 43);
  t.end();
});

const someText = fc.string({ minLength: 30, maxLength: 400, unit: fc.constantFrom(...'abcdef ') });

test('what shares nearly all 3-grams is alike, what shares few is not', (t) => {
  fc.assert(
    fc.property(someText, someText, (one, other) => {
      assert.ok(alike(one, one));
      const jaccard = jaccardOf(normalText(one), normalText(other));
      // A sketch of 32 bins is a guess: it may err by a few of them.
      if (alike(one, other)) assert.ok(jaccard > 0.6, `${jaccard}`);
      if (jaccard === 1) assert.ok(alike(one, other));
    }),
    { seed: 7 },
  );
  t.end();
});

function jaccardOf(one: string, other: string): number {
  const grams = (whole: string) =>
    new Set(Array.from({ length: whole.length - 2 }, (_, at) => whole.slice(at, at + 3)));
  const [mine, its] = [grams(one), grams(other)];
  const shared = [...mine].filter((gram) => its.has(gram)).length;
  return shared / (mine.size + its.size - shared);
}

test('the median is the one in the middle of what is sorted', (t) => {
  const values = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(values, (given) => {
      const sorted = [...given].sort((a, b) => a - b);
      const [low, high] = [(sorted.length - 1) >> 1, sorted.length >> 1];
      const middle = ((sorted[low] ?? 0) + (sorted[high] ?? 0)) / 2;
      assert.equal(medianOf(new Float64Array(given)), middle);
    }),
  );
  t.end();
});

test('median and deviation of few, of an even count, and of equal values', (t) => {
  t.equal(medianOf(new Float64Array([3, 1, 2])), 2);
  t.equal(medianOf(new Float64Array([4, 1, 3, 2])), 2.5);
  t.strictSame(spreadOf(new Float64Array([1, 2, 3, 4, 100])), { median: 3, deviation: 1.4826 });
  t.strictSame(spreadOf(new Float64Array([7, 7])), { median: 7, deviation: 0 });
  t.end();
});
