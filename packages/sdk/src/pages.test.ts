import { test } from 'tap';
import { serve } from './test/service.js';

const entry = (id: string) => ({ id, amount: 19.9, reversed_amount: 0 });

function page(ids: string[], next: string | null) {
  const pagination = { has_more: next !== null, next_cursor: next, limit: 2 };
  return { body: { data: ids.map(entry), pagination } };
}

test('a list is iterated over its pages, which are fetched as they are needed', async (t) => {
  const service = await serve(t, ({ path }) =>
    path.includes('cursor=next') ? page(['c'], null) : page(['a', 'b'], 'next'),
  );
  const list = service.client().log.list('agt_1', { limit: 2 });
  t.same(service.received, [], 'nothing is asked before it is needed');
  const entries: string[][] = [];
  for await (const { id, amount } of list) entries.push([id, amount]);
  t.same(entries, [
    ['a', '19.9'],
    ['b', '19.9'],
    ['c', '19.9'],
  ]);
  const asked = service.received.map(({ path }) => path);
  const path = '/api/v1/authorize/log/agent/agt_1?limit=2';
  t.same(asked, [path, `${path}&cursor=next`]);
  t.equal((await list.take(2)).length, 2);
  t.equal(service.received.length, 3, 'no page is fetched for nothing');
  t.match(await list.page('next'), { items: [{ id: 'c' }], nextCursor: null });
});

test('the log is searched by the fields of the API, on every page', async (t) => {
  const service = await serve(t, ({ path }) =>
    path.includes('cursor=next') ? page(['b'], null) : page(['a'], 'next'),
  );
  const which = { first_decision: 'DECLINE', from: '2026-11-21T00:00:00Z' } as const;
  const found = await service.client().log.search(which, { limit: 1 }).take(10);
  t.match(found, [
    { id: 'a', amount: '19.9' },
    { id: 'b', amount: '19.9' },
  ]);
  const path = '/api/v1/authorize/log?first_decision=DECLINE&from=2026-11-21T00%3A00%3A00Z&limit=1';
  const asked = service.received.map((each) => each.path);
  t.same(asked, [path, `${path}&cursor=next`]);
});

test('a list that names itself as its next page ends with an error', async (t) => {
  const service = await serve(t, () => page(['a'], 'same'));
  await t.rejects(service.client().log.list('agt_1').take(10), { code: 'UNEXPECTED_ANSWER' });
});

test('agents are listed by the number of the page', async (t) => {
  const service = await serve(t, ({ path }) => {
    const number = Number(/page=(\d+)/.exec(path)?.[1]);
    const agents = number === 3 ? [{ id: '5' }] : [{ id: `${number}a` }, { id: `${number}b` }];
    return { body: { agents, total: 5, page: number, page_size: 2 } };
  });
  const list = service.client().agents.list({ limit: 2, status: 'ACTIVE' });
  const ids = (await list.take(100)).map(({ id }) => id);
  t.same(ids, ['1a', '1b', '2a', '2b', '5']);
  t.match(service.received[0]?.path, 'status=ACTIVE');
});
