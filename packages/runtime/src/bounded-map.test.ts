import { test } from 'tap';
import { BoundedMap } from './bounded-map.js';

test('it never holds more than its bound, and forgets what nobody asks for', (t) => {
  const map = new BoundedMap<number, string>(10);
  map.set(-1, 'used again and again');
  for (let key = 0; key < 1_000; key += 1) {
    map.set(key, `value ${key}`);
    if (map.size > 10) t.fail(`${map.size} entries`);
    if (map.get(-1) !== 'used again and again') t.fail(`forgotten at ${key}`);
  }
  t.equal(map.get(990), undefined, 'what came longest ago');
  for (let key = 991; key < 1_000; key += 1) t.equal(map.get(key), `value ${key}`);
  t.equal(map.size, 10);
  t.end();
});

test('as many as fit are kept, however often each of them is used', (t) => {
  const map = new BoundedMap<number, number>(100);
  for (let round = 0; round < 5; round += 1) {
    for (let key = 0; key < 100; key += 1) {
      t.equal(map.get(key), round === 0 ? undefined : key);
      map.set(key, key);
    }
  }
  t.end();
});

test('where all were used again the first of them goes', (t) => {
  const map = new BoundedMap<string, number>(3);
  for (const key of ['a', 'b', 'c']) map.set(key, 1);
  for (const key of ['a', 'b', 'c']) map.get(key);
  map.set('d', 1);
  t.same(
    ['a', 'b', 'c', 'd'].map((key) => map.get(key)),
    [undefined, 1, 1, 1],
  );
  t.end();
});

test('what is set again has its new value, what is deleted is gone', (t) => {
  const map = new BoundedMap<string, number>(4);
  for (const key of ['a', 'b', 'c']) map.set(key, 1);
  map.set('b', 2);
  map.delete('a');
  t.same([map.get('a'), map.get('b'), map.get('c'), map.size], [undefined, 2, 1, 2]);
  t.end();
});

test('what is deleted from a full map makes room, and then the oldest goes again', (t) => {
  const map = new BoundedMap<number, number>(3);
  for (let key = 0; key < 5; key += 1) map.set(key, key);
  for (const key of [2, 3, 4]) map.delete(key);
  for (let key = 5; key < 9; key += 1) map.set(key, key);
  t.same(
    [5, 6, 7, 8].map((key) => map.get(key)),
    [undefined, 6, 7, 8],
  );
  t.end();
});

test('what weighs more takes the room of several, and what fits nowhere is not held', (t) => {
  const map = new BoundedMap<string, number>(10);
  for (const key of ['a', 'b', 'c', 'd']) map.set(key, 1);
  map.set('heavy', 1, 7);
  t.same(
    ['a', 'b', 'c', 'd', 'heavy'].map((key) => map.get(key)),
    [undefined, 1, 1, 1, 1],
  );
  map.set('heavy', 2);
  for (const key of ['e', 'f', 'g', 'h', 'i', 'j']) map.set(key, 1);
  t.equal(map.size, 10, 'it weighs what it was last set with');
  map.set('b', 2, 11);
  t.equal(map.get('b'), undefined);
  t.equal(map.size, 9);
  map.set('heavy', 3, 10);
  t.equal(map.get('heavy'), 3);
  t.equal(map.size, 1);
  t.end();
});
