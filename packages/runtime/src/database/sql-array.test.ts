import { test } from 'tap';
import { encodeIntArray, encodeRowArray, encodeTextArray } from './sql-array.js';

test('arrays are written in the binary form of PostgreSQL', (t) => {
  const array = encodeTextArray(['é', null]);
  t.equal(
    array.toString('hex'),
    '00000001000000010000001900000002000000010000000' + '2c3a9ffffffff',
  );
  t.equal(encodeTextArray([]).toString('hex'), '000000000000000100000019');
  t.equal(
    encodeIntArray([7, -1]).toString('hex'),
    '000000010000000100000017000000020000000100000004' + '0000000700000004ffffffff',
  );
  const wide = encodeTextArray(['\ue000'.repeat(9_000)]);
  t.equal(wide.length, 24 + 27_000);
  const long = 'x'.repeat(20_000);
  const rows = encodeRowArray([[long, null]], { oid: 7, attributes: 2 });
  t.equal(rows.readInt32BE(8), 7);
  t.equal(rows.readInt32BE(20), 4 + 8 + long.length + 8, 'length of the row');
  t.equal(rows.length, 24 + rows.readInt32BE(20));
  t.end();
});

test('what is no text is refused, not written as a word', (t) => {
  const missing = undefined as unknown as string;
  t.throws(() => encodeTextArray(['a', missing]), TypeError);
  t.throws(() => encodeRowArray([['a', missing]], { oid: 7, attributes: 2 }), TypeError);
  t.end();
});
