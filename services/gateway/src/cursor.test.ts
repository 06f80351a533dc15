import { newId } from '@countersign/kernel/id';
import { test } from 'tap';
import { decodeCursor, encodeCursor } from './cursor.js';

test('a cursor opens only for the list and the key that made it, and only unchanged', (t) => {
  const key = Buffer.alloc(32, 1);
  const position = { createdAt: '2026-01-02T03:04:05.678Z', id: newId('webhook') };
  const cursor = encodeCursor(key, 'webhooks:prn_1', position);
  t.same(decodeCursor(key, 'webhooks:prn_1', cursor), position);
  t.equal(decodeCursor(key, 'webhooks:prn_2', cursor), null);
  t.equal(decodeCursor(Buffer.alloc(32, 2), 'webhooks:prn_1', cursor), null);
  for (const bad of ['', 'x', `${cursor}A`, cursor.slice(1), '!!!', 'A'.repeat(600)]) {
    t.equal(decodeCursor(key, 'webhooks:prn_1', bad), null, bad.slice(0, 20));
  }
  for (let i = 0; i < cursor.length; i += 1) {
    const changed = `${cursor.slice(0, i)}${cursor[i] === 'A' ? 'B' : 'A'}${cursor.slice(i + 1)}`;
    t.equal(decodeCursor(key, 'webhooks:prn_1', changed), null, `character ${i}`);
  }
  t.end();
});
