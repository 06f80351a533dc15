import { openTestPool } from '@countersign/runtime/testing/pool';
import t, { test } from 'tap';
import { allKnow, drawTurn, enlist, forgetSilent, leave, recordTurn } from './replica-rows.js';

const pool = await openTestPool(t, 'gateway');
const turns = [await drawTurn(pool), await drawTurn(pool), await drawTurn(pool)] as const;
const [first, second, third] = turns;

test('a change is known once every gateway has drawn a later number', async (t) => {
  await enlist(pool, 'one', second);
  await enlist(pool, 'other', third);
  t.equal(await allKnow(pool, 'one', first), true);
  t.equal(await allKnow(pool, 'one', second), false, 'the same number is not later');
  t.equal(await recordTurn(pool, 'one', third), true);
  t.equal(await allKnow(pool, 'one', second), true);
  await enlist(pool, 'one', first);
  t.equal(await allKnow(pool, 'one', first), false, 'a gateway that starts again starts anew');
});

test('who is not on the list cannot tell what the others know', async (t) => {
  await enlist(pool, 'other', third);
  await leave(pool, 'one');
  t.equal(await allKnow(pool, 'one', first), false);
  t.equal(await allKnow(pool, 'other', first), true, 'and nobody waits for it');
  t.equal(await recordTurn(pool, 'one', third), false);
});

test('who was not seen for long is taken off the list, and nobody else', async (t) => {
  await enlist(pool, 'one', first);
  await enlist(pool, 'other', third);
  const age = `UPDATE gateway_replica SET seen_at = now() - interval '10 s' WHERE instance = 'one'`;
  await pool.query(age);
  await forgetSilent(pool, 60_000);
  t.equal(await allKnow(pool, 'other', second), false, 'ten seconds are not a minute');
  await forgetSilent(pool, 5_000);
  t.equal(await allKnow(pool, 'other', second), true);
  await enlist(pool, 'one', third);
  await pool.query(age);
  await recordTurn(pool, 'one', third);
  await forgetSilent(pool, 5_000);
  t.equal(await recordTurn(pool, 'one', third), true, 'seen again meanwhile');
});
