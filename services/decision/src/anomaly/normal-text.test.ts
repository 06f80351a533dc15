import { test } from 'tap';
import { normalText } from './normal-text.js';

test('case, width, spacing and invisible characters make no difference', (t) => {
  t.equal(normalText(' Two\t OFFERS\n\u3000 seen '), 'two offers seen');
  t.equal(normalText('Ｔｗｏ of\u00adfers \u200d se\ufe0fen\u{e0120}'), 'two offers seen');
  t.equal(normalText('caf\u0065\u0301'), 'caf\u00e9');
  t.equal(normalText('\u200b \u2060'), '');
  t.end();
});

test('long runs of combining marks are normalized in linear time', (t) => {
  // In canonical order the second mark of each pair precedes all of the first, which is the worst
  // case of sorting; U+FF9E becomes a mark only by normalization.
  for (const pair of ['\u0344\u0321', '\u0301\uff9e']) {
    const text = `a${pair.repeat(2_000)}`;
    const last = normalText(pair).at(0) ?? '';
    const normal = normalText(text);
    t.ok(normal.lastIndexOf(last) > 0.9 * normal.length);
    t.equal(normalText(`a${pair.repeat(10)}`), `a${pair.repeat(10)}`.normalize('NFKC'));
  }
  t.end();
});
