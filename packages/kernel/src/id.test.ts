import { test } from 'tap';
import { encodeBase32, type IdKind, idPrefixes, isId, newId } from './id.js';

test('an id has its prefix, 26 characters, and sorts by time of creation', (t) => {
  for (const kind of Object.keys(idPrefixes) as IdKind[]) {
    const id = newId(kind);
    t.ok(isId(kind, id), id);
    t.equal(id.length, idPrefixes[kind].length + 27);
  }
  const ids = Array.from({ length: 2_000 }, () => newId('authorization'));
  t.same(ids, [...ids].sort(), 'ids made one after the other are in order');
  t.equal(new Set(ids).size, ids.length);
  t.end();
});

test('ids of one moment differ in what nobody can guess', (t) => {
  // Their last six characters are random alone; more ids than one filling of the source lasts for.
  const tails = Array.from({ length: 3_000 }, () => newId('authorization').slice(-6));
  // Of 2^30 values; more than five repeats among so few would be no chance.
  t.ok(new Set(tails).size >= tails.length - 5);
  t.end();
});

test('the base32 suffix is the TypeID encoding', (t) => {
  // Values of the TypeID specification's valid.yml: nil, one, and the highest.
  t.equal(encodeBase32(new Uint8Array(16)), '00000000000000000000000000');
  t.equal(
    encodeBase32(Uint8Array.from([...new Array(15).fill(0), 1])),
    '00000000000000000000000001',
  );
  t.equal(encodeBase32(new Uint8Array(16).fill(255)), '7zzzzzzzzzzzzzzzzzzzzzzzzz');
  t.equal(
    encodeBase32(Buffer.from('01890a5dac967744b1be2c2f6c1f5fcd', 'hex')).slice(0, 10),
    '01h455vb4p',
  );
  t.end();
});

test('an id of another kind, case or alphabet is refused', (t) => {
  const id = newId('agent');
  t.notOk(isId('mandate', id));
  t.notOk(isId('agent', id.toUpperCase()));
  t.notOk(isId('agent', `${id}0`));
  t.notOk(isId('agent', id.slice(0, -1)));
  t.notOk(isId('agent', `agt_${'u'.repeat(26)}`), 'u is not in the alphabet');
  t.notOk(isId('agent', `agt_8${'0'.repeat(25)}`), 'more than 128 bits');
  t.end();
});
