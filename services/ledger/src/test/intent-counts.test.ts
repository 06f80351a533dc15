import { inTransaction, type PoolClient } from '@countersign/runtime/database';
import { t as file, test } from 'tap';
import { asChallenge } from './challenge.js';
import { callOf, createWorld, newSpender } from './fixture.js';
import { claimOf, decideIntent, presented } from './intent-fixture.js';

const world = await createWorld(file);
const ledger = await world.start();
const { handlers, context } = ledger;
const { pool } = context.stores.live;
const call = callOf(ledger);

async function liveUses(client: PoolClient, mandateKey: string, at = new Date()) {
  const sql = `SELECT uses::int, spent_minor::int AS spent FROM live_intent_uses($1, '', $2)`;
  return (await client.query<{ uses: number; spent: number }>(sql, [mandateKey, at])).rows[0];
}

/** The number of table rows that this transaction has read so far. */
async function fetched(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ rows: number }>(
    'SELECT sum(seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_xact_user_tables',
  );
  return rows[0]?.rows ?? 0;
}

test('reading the usage of a mandate has a constant cost', async (t) => {
  const spender = newSpender();
  const terms = { ...claimOf(), maxOccurrences: '1000' };
  const use = async () => {
    const request = presented(spender, { ...terms, nonce: claimOf().nonce });
    await decideIntent(ledger, request);
    return { tenant: spender, authorizationId: request.authorizationId };
  };
  const first = await use();
  for (let uses = 1; uses < 40; uses += 1) await use();
  await handlers.Reverse({ ...first, amount: '4.00', requestedBy: 'prn_test' }, call);
  await inTransaction(pool, async (client) => {
    const before = await fetched(client);
    t.match(await liveUses(client, terms.mandateKey), { uses: 40, spent: 39_600 });
    const cost = (await fetched(client)) - before;
    t.ok(cost <= 20, `${cost} rows for the reversed and the last use`);
    const again = await fetched(client);
    await liveUses(client, terms.mandateKey);
    t.ok((await fetched(client)) - again <= 2, 'without changes only the sum is read');
  });
});

test('reading the usage does not wait for a concurrent reversal', async (t) => {
  const spender = newSpender();
  const { mandateKey } = claimOf();
  const used = presented(spender, claimOf({ mandateKey }));
  await decideIntent(ledger, used);
  await inTransaction(pool, async (reversing) => {
    await reversing.query(
      `SELECT reverse_authorization($1, 'rev_1', NULL, NULL, 'prn_test', now(), 'evt_1', '{}')`,
      [used.authorizationId],
    );
    await inTransaction(pool, async (counting) => {
      await counting.query("SET LOCAL lock_timeout = '1ms'");
      t.match(await liveUses(counting, mandateKey), { uses: 1 }, 'before the commit');
    });
  });
  await inTransaction(pool, async (counting) => {
    t.match(await liveUses(counting, mandateKey), { uses: 0, spent: 0 });
  });
});

test('every change of a use counts once, however often somebody looks', async (t) => {
  const spender = newSpender();
  const terms = { ...claimOf(), maxOccurrences: '1000', budgetMinor: '1500' };
  const live = (at?: Date) =>
    inTransaction(pool, (client) => liveUses(client, terms.mandateKey, at));
  const use = async (given = {}) => {
    const request = presented(spender, { ...terms, nonce: claimOf().nonce }, given);
    t.match(await decideIntent(ledger, request), { codes: [] });
    return { tenant: spender, authorizationId: request.authorizationId };
  };
  const used = await use();
  t.match(await live(), { uses: 1, spent: 1_000 });
  const reverse = (amount?: string) =>
    handlers.Reverse({ ...used, ...(amount && { amount }), requestedBy: 'prn_test' }, call);
  for (const amount of ['1.00', '2.00']) await reverse(amount);
  t.match(await live(), { uses: 1, spent: 700 }, 'two changes between two looks');
  await reverse();
  t.match(await live(), { uses: 0, spent: 0 });
  await pool.query(
    `INSERT INTO system_void (authorization_id, answer, facts, answered_at, created_at)
     VALUES ($1, '{}', '{}', now(), now())`,
    [used.authorizationId],
  );
  t.match(await live(), { uses: 0, spent: 0 }, 'nothing is left to be taken back');

  const confirmed = await use(asChallenge());
  const confirmation = { ...confirmed, confirmedBy: 'prn_test' };
  t.match(await handlers.ConfirmStepUp(confirmation, call), { outcome: 'confirmed' });
  t.match(await live(), { uses: 1, spent: 1_000 });
  await handlers.Reverse({ ...confirmed, requestedBy: 'prn_test' }, call);
  const challenge = asChallenge();
  await use(challenge);
  const expiresAt = Date.parse(challenge.stepUpExpiresAt);
  t.match(await live(new Date(expiresAt - 1)), { uses: 1, spent: 1_000 });
  t.match(await live(new Date(expiresAt)), { uses: 0, spent: 0 });
});
