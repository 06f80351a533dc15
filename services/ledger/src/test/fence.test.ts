import { newId } from '@countersign/kernel/id';
import type { CommitRequest, CommitResponse } from '@countersign/proto/ledger';
import { until } from '@countersign/runtime/testing';
import { t as file, test } from 'tap';
import { callOf, count, createWorld, newSpender, proposalOf } from './fixture.js';

const world = await createWorld(file);
const ledger = await world.start();
const other = await world.start();

function commit(request: CommitRequest): Promise<CommitResponse> {
  return ledger.handlers.Commit(request, callOf(ledger));
}

const unlimited = { dailyAmount: '1000000.00' };

test('a proposal judged by less than the fence is stale, and says by what', async (t) => {
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
    staleEntities: [spender.agentId],
  });
  t.equal((await commit(proposalOf(spender, seen(3, 1)))).outcome, 'recorded');
  const older = [{ entityId: spender.agentId, version: 1 }];
  await ledger.handlers.Fence({ entities: older }, callOf(ledger));
  t.equal((await commit(proposalOf(spender, seen(2, 1)))).outcome, 'stale', 'fences only rise');
});

test('what is stale does not hold up the rest of its batch', async (t) => {
  const fenced = newSpender();
  await ledger.handlers.Fence(
    { entities: [{ entityId: fenced.mandateId, version: 2 }] },
    callOf(ledger),
  );
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const spender = index % 3 ? newSpender() : fenced;
      const seen = [{ entityId: spender.mandateId, version: 1 }];
      return (await commit(proposalOf(spender, { seen, limits: unlimited }))).outcome;
    }),
  );
  for (const [index, outcome] of outcomes.entries()) {
    t.equal(outcome, index % 3 ? 'recorded' : 'stale');
  }
});

test('no approval commits after the fence has answered', async (t) => {
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
    t.ok(outcomes.includes('stale'), 'the race was on');
  }
});

test('commits find their rows by index in tables that were never analysed', async (t) => {
  // Databases of its own: what the tests before have analysed would hide a bad plan.
  const cold = await createWorld(t);
  const process = await cold.start();
  const tables = ['authorization_record', 'mandate_usage', 'fence', 'outbox'];
  const { pool } = process.context.stores.live;
  for (const table of tables) {
    await pool.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  }
  const principalId = newId('principal');
  const commits = 2_000;
  const atOnce = 200;
  const entities = [{ entityId: principalId, version: 1 }];
  await process.handlers.Fence({ entities }, callOf(process));
  for (let done = 0; done < commits; done += atOnce) {
    const outcomes = await Promise.all(
      Array.from({ length: atOnce }, async (_, index) => {
        const request = proposalOf(newSpender({ principalId }), {
          idempotencyKey: `key-${done + index}`,
          seen: [{ entityId: principalId, version: 1 }],
        });
        return (await process.handlers.Commit(request, callOf(process))).outcome;
      }),
    );
    if (outcomes.some((outcome) => outcome !== 'recorded')) t.fail(outcomes.join());
  }
  // The server publishes a table's counters all at once: with the inserts come the scans.
  await until(
    async () =>
      (await count(
        process,
        `SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'authorization_record'`,
      )) === commits,
    { what: 'the statistics of the commits' },
  );
  for (const table of tables) {
    const statistics = `FROM pg_stat_user_tables WHERE relname = '${table}'`;
    t.equal(await count(process, `SELECT analyze_count + autoanalyze_count ${statistics}`), 0);
    t.equal(await count(process, `SELECT seq_scan ${statistics}`), 0, `${table}: no seq scan`);
  }
  const entriesRead = await count(
    process,
    `SELECT sum(idx_tup_read) FROM pg_stat_user_indexes
     WHERE relname IN ('authorization_record', 'mandate_usage', 'fence')`,
  );
  t.ok(entriesRead < commits * 8, `${entriesRead} index entries read: no scan of a whole index`);
});
