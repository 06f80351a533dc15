import { execFileSync } from 'node:child_process';
import { test } from 'tap';
import { PassingMap } from './passing-map.js';

test('what is there, what was taken, and what is left', (t) => {
  const map = new PassingMap<number, string>();
  map.set(1, 'one');
  map.set(2, 'two');
  map.set(3, 'three');
  t.same([map.get(1), map.get(4), map.size], ['one', undefined, 3]);
  t.same([map.take(1), map.take(1), map.get(1), map.size], ['one', undefined, undefined, 2]);
  t.same(map.takeAll(), ['two', 'three']);
  t.equal(map.size, 0);
  t.end();
});

/**
 * A script that passes 48 MB through a map, at most 30 of 30,000 entries at a time, and prints how
 * many bytes were promoted to the old generation.
 */
const comeAndGo = (made: string): string => `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { PassingMap } from '${new URL('passing-map.js', import.meta.url)}';
  Map.prototype.take = Map.prototype.delete;
  const old = () =>
    getHeapSpaceStatistics().find((space) => space.space_name === 'old_space').space_used_size;
  const map = new ${made}();
  map.set(0, []);
  gc(); // What is there now is old.
  const before = old();
  for (let key = 1; key < 30_000; key += 1) {
    map.set(key, new Array(200).fill(key));
    if (key >= 30) map.take(key - 30);
  }
  console.log(old() - before);`;

function oldBytes(made: string): number {
  // With a young generation as large as in services. No concurrent collection or marking, so that
  // the result does not depend on the load of the machine.
  const heap = ['--expose-gc', '--max-semi-space-size=64', '--initial-old-space-size=1024'];
  const alone = ['--single-threaded-gc', '--no-incremental-marking'];
  const script = ['--input-type=module', '--eval', comeAndGo(made)];
  return Number(execFileSync(process.execPath, [...heap, ...alone, ...script]).toString());
}

test('what has gone does not become old with what came before it', (t) => {
  const ofMap = oldBytes('Map');
  t.ok(ofMap > 8_000_000, `${ofMap} bytes with a Map: V8 needs this class no more`);
  const own = oldBytes('PassingMap');
  t.ok(own < ofMap / 3, `${own} bytes`);
  t.end();
});
