import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'tap';
import { LatestRows } from './latest-rows.js';
import { RowSpace } from './row-space.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function fill(space: RowSpace, agents: number): LatestRows[] {
  return Array.from({ length: agents }, (_, agent) => {
    const rows = new LatestRows(space, 100);
    for (let at = 0; at < 100; at += 1) rows.put([at, at, agent]);
    return rows;
  });
}

test('what nobody holds any more is room for others, and what somebody holds is not', async (t) => {
  const space = new RowSpace(3);
  const [kept] = fill(space, 500);
  const once = space.bytes;
  for (let others = 0; others < 10; others += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
    fill(space, 500);
  }
  t.ok(space.bytes <= 3 * once, `${space.bytes} bytes after eleven times as much as ${once}`);
  t.equal(kept?.count, 100);
  for (let at = 0; at < 100; at += 1) t.strictSame([...(kept?.row(at) ?? [])], [at, at, 0]);
});

test('rows that push out older ones need no more room, however many come', (t) => {
  const space = new RowSpace(3);
  const lists = Array.from({ length: 100 }, () => new LatestRows(space, 30));
  for (const rows of lists) for (let at = 0; at < 50; at += 1) rows.put([at, at, 0]);
  const once = space.bytes;
  for (const rows of lists) for (let at = 50; at < 2_000; at += 1) rows.put([at, at, 0]);
  t.equal(space.bytes, once);
  t.end();
});
