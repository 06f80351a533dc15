import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'tap';
import type { Bus } from '../bus.js';
import type { Pool } from '../database.js';
import { createLog } from '../log.js';
import { withDatabase } from '../test/outbox-database.js';
import { until } from '../testing.js';
import { OutboxRecovery, startRecovery } from './recovery.js';

const log = createLog({ service: 'test', level: 'silent' });
const hourMs = 3_600_000;
const never = new AbortController().signal;

/** Of a bus whose stream was created so many hours ago. */
function recovery(pool: Pool, hours: number): OutboxRecovery {
  const since = Date.now() - hours * hourMs;
  const bus = { keptSince: async () => since } as unknown as Bus;
  return new OutboxRecovery({ environment: 'sandbox', pool, bus, log });
}

/** Adds published rows; both times are hours ago. */
async function add(
  pool: Pool,
  given: { rows: number; created: number; published?: number },
): Promise<void> {
  await pool.query(
    `INSERT INTO outbox (event_id, type, payload, created_at, published_at)
     SELECT gen_random_uuid(), 'trust.changed', '', now() - $2 * interval '1 hour',
       now() - $3 * interval '1 hour'
     FROM generate_series(1, $1::int)`,
    [given.rows, given.created, given.published ?? null],
  );
  await pool.query('DELETE FROM unpublished');
}

test('what was lost is found in whatever order it had been published', async (t) => {
  await withDatabase(async (pool) => {
    await add(pool, { rows: 6_000, created: 5, published: 1 });
    await add(pool, { rows: 10, created: 4 });
    await add(pool, { rows: 1, created: 1 });
    t.equal(await recovery(pool, 3).check(never), 10);
    t.same((await pool.query('SELECT min(seq)::int FROM unpublished')).rows, [{ min: 6_001 }]);
    t.equal(await recovery(pool, 3).check(never), 0, 'of what waits already');
  });
});

test('the clocks of bus and database may differ a little', async (t) => {
  await withDatabase(async (pool) => {
    const half = 0.5 / 60;
    await add(pool, { rows: 1, created: 3 + half });
    await add(pool, { rows: 1, created: 3 - half });
    await add(pool, { rows: 1, created: 3 - 4 * half });
    t.equal(await recovery(pool, 3).check(never), 2);
  });
});

test('an event is not published again beyond a week from its creation', async (t) => {
  await withDatabase(async (pool) => {
    const week = 7 * 24;
    await add(pool, { rows: 2, created: week + 1, published: 5 });
    await add(pool, { rows: 3, created: week - 1, published: 5 });
    t.equal(await recovery(pool, 1).check(never), 3);
  });
});

test('a stop ends the search at the next page, and the search is then not done', async (t) => {
  const stopping = new AbortController();
  let pages = 0;
  const query = async () => {
    pages += 1;
    stopping.abort();
    return { rows: [{ last: pages < 3 ? String(pages) : null, again: 1, isRecent: false }] };
  };
  const searching = recovery({ query } as unknown as Pool, 1);
  await searching.check(stopping.signal);
  t.equal(pages, 1);
  pages = 0;
  await searching.check(never);
  t.equal(pages, 3);
  await searching.check(never);
  t.equal(pages, 3, 'once for each stream');
});

test('a process that stops does not search the whole outbox before', async (t) => {
  let pages = 0;
  const query = async () => {
    await nextTurn();
    pages += 1;
    return { rows: [{ last: String(pages), again: 0, isRecent: false }] };
  };
  const bus = { connected: () => true, keptSince: async () => 0, opened: async () => {} };
  const given = { environment: 'sandbox', pool: { query }, bus, log } as unknown;
  const searching = startRecovery(given as Parameters<typeof startRecovery>[0]);
  await until(() => pages > 0, { what: 'the first page' });
  const before = pages;
  await searching.stop();
  t.ok(pages <= before + 1, `${pages - before} more pages`);
});
