import { newId } from '@countersign/kernel/id';
import type { CommitRequest, CommitResponse } from '@countersign/proto/ledger';
import { createPool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import { t as file, type Test, test } from 'tap';
import { asChallenge } from './challenge.js';
import { callOf, count, createWorld, newSpender, proposalOf } from './fixture.js';

const world = await createWorld(file);
const ledger = await world.start();
const other = await world.start();

function commit(request: CommitRequest): Promise<CommitResponse> {
  return ledger.handlers.Commit(request, callOf(ledger));
}

const unlimited = { dailyAmount: '1000000.00' };

test('a proposal below a fence is stale', async (t) => {
  const spender = newSpender();
  const seen = (agent: number, mandate: number) => ({
    seen: [
      { entityId: spender.agentId, version: agent },
      { entityId: spender.mandateId, version: mandate },
    ],
  });
  t.equal((await commit(proposalOf(spender, seen(1, 1)))).outcome, 'recorded');
  const entities = [
    { entityId: spender.agentId, version: 3 },
    { entityId: spender.agentId, version: 2 },
  ];
  await ledger.handlers.Fence({ entities }, callOf(ledger));
  t.same(await commit(proposalOf(spender, seen(2, 1))), {
    outcome: 'stale',
    limitCodes: [],
    intentCodes: [],
  });
  t.equal((await commit(proposalOf(spender, seen(3, 1)))).outcome, 'recorded');
  const older = [{ entityId: spender.agentId, version: 1 }];
  await ledger.handlers.Fence({ entities: older }, callOf(ledger));
  t.equal(
    (await commit(proposalOf(spender, seen(2, 1)))).outcome,
    'stale',
    'fences are never lowered',
  );
});

test('a stale proposal does not block the rest of its batch', async (t) => {
  const fenced = newSpender();
  await ledger.handlers.Fence(
    { entities: [{ entityId: fenced.mandateId, version: 2 }] },
    callOf(ledger),
  );
  // Of two proposals each, so that what was seen is not counted as the proposals are.
  const twice = Array.from({ length: 20 }, () => newSpender());
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const spender = index % 3 === 2 ? fenced : (twice[Math.floor(index / 3)] ?? fenced);
      const seen = [{ entityId: spender.mandateId, version: 1 }];
      return (await commit(proposalOf(spender, { seen, limits: unlimited }))).outcome;
    }),
  );
  for (const [index, outcome] of outcomes.entries()) {
    t.equal(outcome, index % 3 === 2 ? 'stale' : 'recorded');
  }
});

test('no approval commits after the fence has returned', async (t) => {
  for (let round = 0; round < 15; round += 1) {
    const spender = newSpender();
    const seen = [{ entityId: spender.mandateId, version: 1 }];
    const approved = (): Promise<number> =>
      count(ledger, 'SELECT count(*) FROM authorization_record WHERE mandate_id = $1', [
        spender.mandateId,
      ]);
    let ended = false;
    const spend = async (to: typeof ledger): Promise<string[]> => {
      const outcomes: string[] = [];
      while (!ended || outcomes.at(-1) === 'recorded') {
        const request = proposalOf(spender, { seen, limits: unlimited });
        outcomes.push((await to.handlers.Commit(request, callOf(to))).outcome);
      }
      return outcomes;
    };
    const spending = Promise.all(
      Array.from({ length: 8 }, (_, i) => spend(i % 2 ? ledger : other)),
    );
    await until(async () => (await approved()) > round, { what: 'some approvals' });
    const entities = [{ entityId: spender.mandateId, version: 2 }];
    await other.handlers.Fence({ entities }, callOf(other));
    const atAnswer = await approved();
    ended = true;
    const outcomes = (await spending).flat();
    t.equal(await approved(), atAnswer, `round ${round}`);
    t.ok(outcomes.includes('stale'), 'proposals were concurrent with the fence');
  }
});

const waiting = () => waitingForLocks(ledger.context.stores.live.pool);

/** Starts the work while the table is locked, then a fence, which must wait for the work. */
async function fencedDuring<T>(
  t: Test,
  { table, entityId, work }: { table: string; entityId: string; work: () => Promise<T> },
): Promise<T> {
  const gate = await ledger.context.stores.live.pool.connect();
  await gate.query(`BEGIN; LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
  const working = work();
  await until(async () => (await waiting()) >= 1, { what: 'the work to wait' });
  let returned = false;
  const entities = [{ entityId, version: 2 }];
  const fencing = other.handlers.Fence({ entities }, callOf(other)).then(() => {
    returned = true;
  });
  const bothWait = async (): Promise<boolean> => returned || (await waiting()) >= 2;
  await until(bothWait, { what: 'the fence to wait' });
  t.notOk(returned, 'a fence waits for what was judged by less');
  await gate.query('COMMIT');
  gate.release();
  const [done] = await Promise.all([working, fencing]);
  return done;
}

test('a fence returns only after the batches that began before it', async (t) => {
  const spender = newSpender();
  const { mandateId: entityId } = spender;
  const seen = [{ entityId, version: 1 }];
  const spend = () => commit(proposalOf(spender, { seen }));
  const before = await fencedDuring(t, { table: 'authorization_record', entityId, work: spend });
  t.equal(before.outcome, 'recorded');
  t.equal((await spend()).outcome, 'stale');
});

test('a fence returns only after the confirmations that began before it', async (t) => {
  const spender = newSpender();
  const { mandateId: entityId } = spender;
  const seen = [{ entityId, version: 1 }];
  const challenges = Array.from({ length: 2 }, () => proposalOf(spender, asChallenge()));
  for (const challenge of challenges) await commit(challenge);
  const [before, after] = challenges.map(({ authorizationId }) => () => {
    const which = { tenant: spender, authorizationId };
    return ledger.handlers.ConfirmStepUp({ ...which, confirmedBy: 'prn', seen }, callOf(ledger));
  });
  if (!before || !after) throw new Error('there are two challenges');
  const first = await fencedDuring(t, { table: 'step_up_answer', entityId, work: before });
  t.equal(first.outcome, 'confirmed');
  t.equal((await after()).outcome, 'stale');
});

// The statistics of the cached plans: none, or those of tables with a single row.
for (const known of ['never analysed', 'analysed while they were tiny']) {
  test(`commits find their rows by index in tables ${known}`, async (t) => {
    // Separate databases, because the statistics of other tests could hide a bad plan.
    const cold = await createWorld(t);
    const learning = await cold.start();
    const tables = ['authorization_record', 'mandate_usage', 'fence'];
    const principalId = newId('principal');
    const spend = (on: typeof ledger, idempotencyKey: string): Promise<CommitResponse> => {
      const seen = [{ entityId: principalId, version: 1 }];
      const request = proposalOf(newSpender({ principalId }), { idempotencyKey, seen });
      return on.handlers.Commit(request, callOf(on));
    };
    const entities = [{ entityId: principalId, version: 1 }];
    await learning.handlers.Fence({ entities }, callOf(learning));
    await spend(learning, 'key-first');
    for (const table of tables) {
      const { pool } = learning.context.stores.live;
      await pool.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
      if (known !== 'never analysed') await pool.query(`VACUUM ANALYZE ${table}`);
    }

    const process = await cold.start();
    const before = await readStatistics(learning, tables);
    const rounds = 10;
    const atOnce = 200;
    for (let round = 0; round < rounds; round += 1) {
      const outcomes = await Promise.all(
        Array.from({ length: atOnce }, (_, index) => spend(process, `key-${round}-${index}`)),
      );
      t.ok(outcomes.every(({ outcome }) => outcome === 'recorded'));
    }
    // A connection reports its statistics when it ends, or else after up to ten seconds.
    await process.context.lifecycle.shutdown();
    const commits = rounds * atOnce;
    const after = await until(
      async () => {
        const now = await readStatistics(learning, tables);
        return now.inserted - before.inserted >= 2 * commits ? now : null;
      },
      { what: 'the statistics of the commits' },
    );
    t.equal(after.scanned - before.scanned, 0, 'no table was scanned');
    const entries = after.entries - before.entries;
    t.ok(entries < commits * 8, `${entries} index entries read: no index was scanned whole`);
  });
}

interface Statistics {
  inserted: number;
  scanned: number;
  entries: number;
}

async function readStatistics(from: typeof ledger, tables: string[]): Promise<Statistics> {
  const { rows } = await from.context.stores.live.pool.query<Statistics>(
    `SELECT sum(n_tup_ins)::int AS inserted, sum(seq_scan)::int AS scanned,
       (SELECT sum(idx_tup_read)::int FROM pg_stat_user_indexes WHERE relname = ANY($1)) AS entries
     FROM pg_stat_user_tables WHERE relname = ANY($1)`,
    [tables],
  );
  const [statistics] = rows;
  if (!statistics) throw new Error('the server keeps no statistics');
  return statistics;
}

test('a commit that waited for a fence heeds it, whatever isolation is the default', async (t) => {
  const strict = await createWorld(t);
  const log = createLog({ service: 'fence-test', level: 'silent' });
  const pool = createPool({ url: strict.urls.live, size: 1, log });
  t.teardown(() => pool.end());
  const admin = await pool.connect();
  const { pathname } = new URL(strict.urls.live);
  await admin.query(`
    ALTER DATABASE ${pathname.slice(1)} SET default_transaction_isolation = 'repeatable read'`);
  const busy = await strict.start({ env: { COMMIT_TIMEOUT_MS: '5000' } });
  const spender = newSpender();
  await admin.query('BEGIN');
  await admin.query('SELECT raise_fences($1::text[], $2::int[])', [[spender.agentId], [2]]);
  const seen = [{ entityId: spender.agentId, version: 1 }];
  const committed = busy.handlers.Commit(proposalOf(spender, { seen }), callOf(busy));
  const waiting = 'SELECT count(*) FROM pg_locks WHERE NOT granted';
  await until(async () => (await count(busy, waiting)) === 1, { what: 'the commit to wait' });
  await admin.query('COMMIT');
  admin.release();
  t.equal((await committed).outcome, 'stale');
});
