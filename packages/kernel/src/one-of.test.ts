import { test } from 'tap';
import { oneOf } from './one-of.js';

test('names are listed in words, and a long list of them is cut', async (t) => {
  t.equal(oneOf([]), '');
  t.equal(oneOf(['base']), 'base');
  t.equal(oneOf(['base', 'polygon', 'optimism']), 'base, polygon or optimism');
  const many = Array.from({ length: 500 }, (_, index) => `chain-${index}`);
  t.match(oneOf(many, { most: 20 }), /^chain-0, .*, chain-19 or another of 500$/);
  t.equal(oneOf(['a', 'b'], { most: 2, spell: (name) => name.toUpperCase() }), 'A or B');
});
