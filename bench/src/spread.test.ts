import { test } from 'tap';
import { ratioOf, spreadOf } from './spread.js';

test('the middle of an even number of values lies between the two in the middle', (t) => {
  t.strictSame(spreadOf([4, 1, 3, 2]), { median: 2.5, min: 1, max: 4 });
  t.strictSame(spreadOf([3, 1, 2]), { median: 2, min: 1, max: 3 });
  t.end();
});

test('ratios are taken pair by pair, so that a slow minute counts for both', (t) => {
  const { median, min, max } = ratioOf([20, 2, 200], [10, 1, 100], (value) => value);
  t.strictSame([median, min, max], [2, 2, 2]);
  t.end();
});
