/** How the events of a batch share the rows of the outbox. */
import { t as file, test } from 'tap';
import { callOf, createWorld, newSpender, proposalOf } from './fixture.js';
import { withPackedEvent } from './packed-event.js';

const world = await createWorld(file);
const ledger = await world.start();

test('a row has at most 32 events, all of its topic, and each event is in one row', async (t) => {
  const spender = newSpender();
  const limits = { dailyAmount: '100000.00' };
  // Proposals of one turn for one mandate share a batch.
  const requests = Array.from({ length: 100 }, (_, n) => {
    const request = proposalOf(spender, { limits });
    return n % 4 === 0 ? request : withPackedEvent(request);
  });
  await Promise.all(requests.map((request) => ledger.handlers.Commit(request, callOf(ledger))));
  const { rows } = await ledger.context.stores.live.pool.query<{ type: string; ids: string[] }>(
    `SELECT type, ARRAY(
       SELECT coalesce(event -> 'data' ->> 'authorizationId', event -> 5 ->> 1)
       FROM json_array_elements(('[' || payload || ']')::json) event
     ) AS ids FROM outbox`,
  );
  const inOrder = requests.map(({ authorizationId }) => authorizationId);
  for (const { ids } of rows) {
    t.ok(ids.length <= 32, `${ids.length} events`);
    t.same(
      ids,
      inOrder.filter((id) => ids.includes(id)),
      'in the order of the proposals',
    );
  }
  const idsOf = (isPacked: boolean): string[] =>
    requests.flatMap(({ eventIsPacked, authorizationId }) =>
      eventIsPacked === isPacked ? authorizationId : [],
    );
  const told = rows.filter(({ type }) => type === 'authorization.recorded');
  const others = rows.filter((row) => !told.includes(row));
  t.same(told.flatMap(({ ids }) => ids).sort(), idsOf(false).sort());
  t.same(others.flatMap(({ ids }) => ids).sort(), idsOf(true).sort());
});

test('rows of the outbox are compressed with lz4 wherever the server has it', async (t) => {
  const { rows } = await ledger.context.stores.live.pool.query(`
    SELECT attcompression AS used, 'lz4' = ANY (enumvals) AS available
    FROM pg_attribute, pg_settings
    WHERE attrelid = 'outbox'::regclass AND attname = 'payload'
      AND name = 'default_toast_compression'`);
  const [{ used, available }] = rows;
  t.equal(used, available ? 'l' : '');
});
