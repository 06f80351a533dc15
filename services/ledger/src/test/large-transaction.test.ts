import { inTransaction } from '@countersign/runtime/database';
import { test } from 'tap';
import { entriesAtOnce, extendChain } from '../chain/extend.js';
import { chainAll, partsOf, verified } from './chained.js';
import { callOf, count, createWorld, newSpender, proposalOf } from './fixture.js';

test('a transaction with more rows than are chained at once is chained completely', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const { pool } = ledger.context.stores.live;
  const { handlers } = ledger;
  const request = proposalOf(newSpender());
  const { authorizationId } = request;
  await handlers.Commit(request, callOf(ledger));
  await chainAll(ledger);
  const before = await count(ledger, 'SELECT count(*) FROM chain_entry');
  // Of two kinds, of which the later one has no entry before.
  await inTransaction(pool, async (client) => {
    await client.query(
      `INSERT INTO reference (authorization_id, kind, principal_id, value)
       SELECT $1, lpad(n::text, 4, '0'), 'prn', 'x' FROM generate_series(1, $2::int) n`,
      [authorizationId, 2 * entriesAtOnce - 1],
    );
    await client.query(
      `INSERT INTO first_answer (authorization_id, principal_id, idempotency_key, answered_at)
       VALUES ($1, 'prn', 'key', now())`,
      [authorizationId],
    );
  });
  const half = { entries: before + entriesAtOnce, waiting: entriesAtOnce, bad: null };
  const parts = partsOf(ledger);
  // A transaction of another database of the server may briefly hold back the horizon.
  for (let added: number | null = 0; added === 0; ) added = await extendChain(parts);
  t.match(await verified(ledger), half, 'the rest of the transaction is waiting');
  t.equal(await extendChain(parts), entriesAtOnce);
  const all = { entries: before + 2 * entriesAtOnce, waiting: 0, bad: null };
  t.match(await verified(ledger), all);
  const { rows } = await pool.query<{ ref: string }>(
    'SELECT ref FROM chain_entry WHERE seq > $1 ORDER BY seq',
    [before],
  );
  const refs = rows.map(({ ref }) => ref);
  t.equal(refs.pop(), authorizationId, 'the kinds in their order');
  t.same(refs, [...refs].sort());
  t.equal(new Set(refs).size, 2 * entriesAtOnce - 1, 'each row once');
});

test('rows of several transactions are chained in the order of these', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const { pool } = ledger.context.stores.live;
  const request = proposalOf(newSpender());
  const { authorizationId } = request;
  await ledger.handlers.Commit(request, callOf(ledger));
  await chainAll(ledger);
  const before = await count(ledger, 'SELECT count(*) FROM chain_entry');
  const insert = (prefix: string, rows: number) =>
    pool.query(
      `INSERT INTO reference (authorization_id, kind, principal_id, value)
       SELECT $1, $2 || lpad(n::text, 4, '0'), 'prn', 'x' FROM generate_series(1, $3::int) n`,
      [authorizationId, prefix, rows],
    );
  // By their names alone, those of the later one would come first.
  await insert('b', entriesAtOnce);
  await insert('a', entriesAtOnce);
  await chainAll(ledger);
  const all = { entries: before + 2 * entriesAtOnce, waiting: 0, bad: null };
  t.match(await verified(ledger), all);
});
