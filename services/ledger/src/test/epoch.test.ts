import { sha256Hex } from '@countersign/kernel/canonical';
import { newId } from '@countersign/kernel/id';
import type { CommitRequest } from '@countersign/proto/ledger';
import { backUpDatabase } from '@countersign/runtime/testing/backup';
import { t as file, test } from 'tap';
import { callOf, count, createWorld, newSpender, proposalOf, retryUnavailable } from './fixture.js';

const world = await createWorld(file);
const ledger = await world.start();
const other = await world.start();
const { handlers } = ledger;
const call = callOf(ledger);
const basisJson = '{"a basis":1}';
const basis = { basisHash: sha256Hex(basisJson), basisJson };

/** Retries while the connections that a restore has ended are opened again. */
const commit = (request: CommitRequest, on = ledger) =>
  retryUnavailable(() => on.handlers.Commit(request, call), ['unavailable', 'deadline']);

async function epochNow(on = ledger): Promise<string> {
  const { epoch } = await commit(proposalOf(newSpender(), { epoch: '' }), on);
  if (!epoch) throw new Error('no epoch was told');
  return epoch;
}

test('a proposal of another epoch is stale, and told the present one', async (t) => {
  const spender = newSpender();
  const { agentId } = spender;
  const seen = [{ entityId: agentId, version: 1 }];
  for (const epoch of ['', 'another']) {
    const stale = await commit(proposalOf(spender, { seen, epoch }));
    t.match(stale, { outcome: 'stale' });
    t.match(stale.epoch, /^[0-9a-f]{16}$/);
  }
  t.equal(await count(ledger, 'SELECT count(*) FROM authorization_record'), 0);
  const epoch = await epochNow();
  t.equal((await commit(proposalOf(spender, { seen, epoch }))).outcome, 'recorded');
  t.equal((await commit(proposalOf(spender, { seen }))).outcome, 'recorded', 'an older release');
});

test('a batch with proposals of several epochs records those of the present one', async (t) => {
  const epoch = await epochNow();
  const outcomes = await Promise.all(
    ['', epoch, 'another', epoch].map(async (of) => {
      const { outcome } = await commit(proposalOf(newSpender(), { epoch: of }));
      return outcome;
    }),
  );
  t.same(outcomes, ['stale', 'recorded', 'stale', 'recorded']);
});

test('what was revoked stays refused after a restore that lost the fence', async (t) => {
  const spender = newSpender();
  const seen = [{ entityId: spender.agentId, version: 1 }];
  const epoch = await epochNow();
  const backup = await backUpDatabase(world.urls.live);
  t.teardown(backup.drop);
  t.equal((await commit(proposalOf(spender, { seen, epoch, ...basis }))).outcome, 'recorded');
  const fenced = [{ entityId: spender.agentId, version: 2 }];
  await retryUnavailable(() => handlers.Fence({ entities: fenced }, call));
  t.equal((await commit(proposalOf(spender, { seen, epoch }))).outcome, 'stale');

  await backup.restore();
  const stale = await commit(proposalOf(spender, { seen, epoch }));
  t.match(stale, { outcome: 'stale' });
  t.not(stale.epoch, epoch);
  const id = newId('authorization');
  const { basisHash } = basis;
  const present = { seen: fenced, epoch: stale.epoch, authorizationId: id, basisHash };
  const without = await commit(proposalOf(spender, present));
  t.equal(without.outcome, 'basis_unknown', 'the texts of the former database are forgotten');
  t.equal((await commit(proposalOf(spender, { ...present, ...basis }))).outcome, 'recorded');
});

test('a replica that has not noticed a restore does not tell the former epoch', async (t) => {
  const former = await epochNow(other);
  t.equal((await commit(proposalOf(newSpender(), { epoch: former }))).outcome, 'recorded');
  const backup = await backUpDatabase(world.urls.live);
  t.teardown(backup.drop);
  await backup.restore();
  const { epoch } = await commit(proposalOf(newSpender(), { epoch: former }));
  t.not(epoch, former);
  const { outcome } = await commit(proposalOf(newSpender(), { epoch }), other);
  t.equal(outcome, 'recorded');
});

test('a given answer is recorded after a restore that nothing else has noticed', async (t) => {
  const backup = await backUpDatabase(world.urls.live);
  t.teardown(backup.drop);
  await backup.restore();
  const failSafe = { decision: 'DECLINE', reasonCodes: ['SYSTEM_FAIL_SAFE'], limits: null };
  const given = proposalOf(newSpender(), { ...failSafe, answerGiven: true });
  t.match(await commit(given), { outcome: 'recorded' });
});

/** Each takes the place of something of PostgreSQL's own, in one transaction. */
const differences = {
  'a standby has another epoch than what it becomes when it is promoted': `
    CREATE FUNCTION public.pg_is_in_recovery() RETURNS boolean
    LANGUAGE sql STABLE AS 'SELECT true'`,
  'a server has another epoch after a restart': `
    CREATE FUNCTION public.pg_postmaster_start_time() RETURNS timestamptz
    LANGUAGE sql STABLE AS 'SELECT now()'`,
  'another database of the same name has another epoch': `
    CREATE VIEW public.pg_database AS SELECT 1::oid AS oid, datname FROM pg_catalog.pg_database`,
  'a database whose fences were created anew has another epoch': 'TRUNCATE fence',
};

for (const [name, sql] of Object.entries(differences)) {
  test(name, async (t) => {
    const client = await ledger.context.stores.live.pool.connect();
    const epoch = async (): Promise<unknown> => {
      const { rows } = await client.query('SELECT database_epoch() AS epoch');
      return rows[0]?.epoch;
    };
    try {
      await client.query('BEGIN');
      const before = await epoch();
      await client.query(sql);
      await client.query('SET LOCAL search_path = public, pg_catalog');
      t.not(await epoch(), before);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
}
