import { randomBytes } from 'node:crypto';
import { Fault } from '@countersign/kernel/fault';
import { test } from 'tap';
import { type PagedList, pageReply, pageRequest } from './pagination.js';

const context = { cursorKey: randomBytes(32) };
const row = (n: number) => ({ createdAt: `2026-11-21T09:30:0${n}.000Z`, id: `wh_${n}` });

function list(cursor?: string, change: Partial<PagedList> = {}): PagedList {
  const query = { limit: 2, ...(cursor !== undefined && { cursor }) };
  return { name: 'webhooks', request: { environment: 'sandbox', query }, of: ['prn_1'], ...change };
}

function page(of: PagedList, hasMore: boolean) {
  const reply = pageReply(context, of, {
    items: [row(9), row(8)],
    hasMore,
    view: ({ id }) => ({ id }),
  });
  return reply.body;
}

test('a page tells where the next one begins, the last one does not', async (t) => {
  const first = page(list(), true);
  t.same(first.data, [{ id: 'wh_9' }, { id: 'wh_8' }]);
  t.match(first.pagination, { has_more: true, next_cursor: String, limit: 2 });
  const next = first.pagination.next_cursor ?? '';
  t.same(pageRequest(context, list(next)), { limit: 2, after: row(8) });
  t.same(pageRequest(context, list()), { limit: 2 });
  t.equal(
    JSON.stringify(page(list(), false).pagination),
    '{"has_more":false,"next_cursor":null,"limit":2}',
  );
  const empty = { items: [], hasMore: false, view: (item: unknown) => item };
  t.same(pageReply(context, list(), empty).body.data, []);
});

test('a cursor is good for its own list, caller and environment, and nowhere else', async (t) => {
  const cursor = page(list(), true).pagination.next_cursor ?? '';
  const wrong: PagedList[] = [
    list(cursor, { name: 'outcomes' }),
    list(cursor, { of: ['prn_2'] }),
    list(cursor, { of: ['prn_1', 'agt_1'] }),
    list(cursor, { request: { environment: 'live', query: { limit: 2, cursor } } }),
    list(`${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`),
    list(`${cursor}A`),
    list('AAAA'),
    list('not a cursor'),
  ];
  for (const each of wrong) {
    t.throws(() => pageRequest(context, each), Fault);
    try {
      pageRequest(context, each);
    } catch (error) {
      const [problem] = (error as Fault).errors ?? [];
      t.match(error, { kind: 'invalid', code: 'VALIDATION_ERROR' });
      t.match(problem, { field: 'cursor', type: 'invalid_cursor' });
    }
  }
  t.throws(() => pageRequest({ cursorKey: randomBytes(32) }, list(cursor)), Fault);
});
