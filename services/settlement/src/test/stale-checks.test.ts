import { test } from 'tap';
import { leaseOutcomesSql } from '../sql.js';
import { openCheckedSettlements, receipt } from './checked-settlements.js';

const { pool, settledIds, insertOld, read, check } = await openCheckedSettlements();
const absent = { receipt: null };

test('a check that outlasts its lease does not overwrite a newer result', async (t) => {
  const id = await insertOld(6);
  const slow = await read(id);
  const quick = await read(id);
  t.match(await check(quick, { receipt: receipt() }), { status: 'PENDING' });
  t.equal(await check(slow, absent), null, 'the result would be NOT_FOUND_TIMEOUT');
  t.match(await read(id), { status: 'PENDING', blockHash: '0xb10c' });
});

test('a transaction that was seen meanwhile is not failed as one that never was', async (t) => {
  const id = await insertOld(6);
  const slow = await read(id);
  t.match(await check(await read(id), { receipt: null, isKnown: true }), {
    status: 'SUBMITTED',
    seen: true,
  });
  t.equal(await check(slow, absent), null, 'the result would be NOT_FOUND_TIMEOUT');
  for (const nth of ['first', 'second']) {
    const result = await check(await read(id), absent);
    t.match(result, { status: 'SUBMITTED' }, `the ${nth} check of another day`);
  }
});

test('of two replicas that check a settlement concurrently, one settles it', async (t) => {
  const id = await insertOld(3);
  const rows = [await read(id), await read(id)] as const;
  const transitions = await Promise.all(rows.map((row) => check(row, { receipt: receipt() })));
  t.equal(transitions.filter((transition) => transition?.status === 'SETTLED').length, 1);
  t.same(settledIds, [id]);
});

test('a settled transfer is due at once, with the total of its authorization', async (t) => {
  const [first, second] = [await insertOld(3), await insertOld(3)];
  await pool.query('UPDATE settlement SET authorization_id = $1 WHERE id = $2', [first, second]);
  for (const id of [first, second]) {
    t.match(await check(await read(id), { receipt: receipt() }), { status: 'SETTLED' });
  }
  const { rows } = await pool.query<{ id: string; settledRaw: string }>(
    leaseOutcomesSql,
    [10, 15_000],
  );
  const totalOf = (id: string) => rows.find((row) => row.id === id)?.settledRaw;
  t.same([first, second].map(totalOf), ['1000000', '2000000'], 'up to each');
});

test('a node that has blocks to catch up with does not end the search', async (t) => {
  const id = await insertOld(3);
  t.match(await check(await read(id), { ...absent, headAge: 2 }), { status: 'SUBMITTED' });
  t.match(await check(await read(id), { receipt: receipt() }), { status: 'SETTLED' });
  const unsent = await insertOld(3);
  t.match(await check(await read(unsent), { ...absent, headAge: 2 }), { status: 'SUBMITTED' });
  t.match(await check(await read(unsent), absent), { failureReason: 'NOT_FOUND_TIMEOUT' });
});

test('the timeout of an unknown transaction uses the clock of the database', async (t) => {
  const id = await insertOld(3);
  t.match(await check(await read(id), absent), { failureReason: 'NOT_FOUND_TIMEOUT' });
  const fresh = await insertOld(3);
  await pool.query('UPDATE settlement SET last_seen_at = now() WHERE id = $1', [fresh]);
  const { now } = Date;
  t.teardown(() => {
    Date.now = now;
  });
  Date.now = () => now() + 2 * 24 * 3_600_000;
  t.match(await check(await read(fresh), absent), { status: 'SUBMITTED' }, 'not our own clock');
});
