import { Cipher } from '@countersign/kernel/cipher';
import { isoTime } from '@countersign/kernel/clock';
import { inTransaction, type PoolClient } from '@countersign/runtime/database';
import { until } from '@countersign/runtime/testing';
import { test } from 'tap';
import { type ChainParts, entriesAtOnce, extendChain } from '../chain/extend.js';
import { type ChainLink, entryHash, rowHash } from '../chain/hash.js';
import { newChainKey, signHead } from '../chain/head.js';
import { chainKinds, namedRowsSql } from '../chain/kinds.js';
import { HeadMemory, LogWasChanged } from '../chain/memory.js';
import { addHeadSql, addKeySql, entriesSql } from '../chain/sql.js';
import { startServer } from '../server.js';
import { chainAll, makeLog, partsOf, switchTriggersOff, verified } from './chained.js';
import { callOf, count, createWorld, type Ledger, newSpender, proposalOf } from './fixture.js';

const headsSql = 'SELECT count(*) FROM chain_head';
/** Of a head after which the next one is overdue, or nearly so. */
const overdue = (): number => Date.now() - 5 * 60_000 - 1_000;
const nearlyOverdue = (): number => Date.now() - 4 * 60_000;

async function newestHead(ledger: Ledger): Promise<readonly [seq: string, hash: string]> {
  const { lastHead } = await verified(ledger);
  return [lastHead?.seq ?? '', lastHead?.entryHash ?? ''];
}

function asOwner(ledger: Ledger, work: (client: PoolClient) => Promise<unknown>): Promise<void> {
  return inTransaction(ledger.context.stores.live.pool, async (client) => {
    await switchTriggersOff(client);
    await work(client);
  });
}

/** Changes a record and recomputes all hashes without a key, so that only heads reveal it. */
async function forge(client: PoolClient, id: string): Promise<void> {
  await client.query(`UPDATE authorization_record SET mcc = '9999' WHERE id = $1`, [id]);
  const { rows } = await client.query<ChainLink & { entryHash: string; format: number }>(
    entriesSql,
    [0, 1_000_000, 1_000_000],
  );
  const from = rows.findIndex(({ ref }) => ref === id);
  let previousHash = rows[from]?.previousHash ?? '';
  for (const entry of rows.slice(from)) {
    const link = { ...entry, previousHash, recordHash: await hashOf(client, entry) };
    previousHash = entryHash(link, entry.format);
    await client.query(
      `UPDATE chain_entry SET record_hash = $2, previous_hash = $3, entry_hash = $4
       WHERE seq = $1`,
      [entry.seq, link.recordHash, link.previousHash, previousHash],
    );
  }
  await client.query('DELETE FROM chain_head WHERE seq >= $1', [rows[from]?.seq]);
}

async function hashOf(client: PoolClient, { kind, ref, txid }: ChainLink): Promise<string> {
  const [of] = chainKinds.filter((each) => each.kind === kind);
  if (!of) throw new Error(kind);
  const { rows } = await client.query(namedRowsSql(of), [[txid], [ref]]);
  return rowHash(rows[0].bytes);
}

/** Retries until entries are added: a transaction elsewhere may briefly hold back the horizon. */
async function extended(parts: ChainParts): Promise<void> {
  await until(async () => ((await extendChain(parts)) ?? 0) > 0, { what: 'an entry' });
}

test('a forged log is not signed, and a kept head reveals it after a restart', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const [request] = await makeLog(ledger);
  const parts = partsOf(ledger);
  await chainAll(ledger, parts);
  const kept = await newestHead(ledger);
  const heads = [kept];
  await asOwner(ledger, (client) => forge(client, request?.authorizationId ?? ''));
  t.match(await verified(ledger), { bad: { seq: '1', problem: /it has no signed head/ } });
  const signed = await count(ledger, headsSql);
  await makeLog(ledger);
  await t.rejects(extendChain(parts), LogWasChanged);
  await t.rejects(extendChain(parts), LogWasChanged, 'and permanently');
  t.equal(await count(ledger, headsSql), signed, 'nothing is signed');
  // A restarted builder accepts the current log, so that from now on only a kept head reveals it.
  await chainAll(ledger);
  t.match(await verified(ledger), { bad: null });
  const seq = kept[0];
  const problem = /its kept head has the hash [0-9a-f]{64}, but its hash is [0-9a-f]{64}/;
  t.match(await verified(ledger, { heads }), { bad: { seq, problem } });
});

/** Each is detected by a builder that has seen the log before. */
const changes: ReadonlyArray<readonly [name: string, sql: string, said: RegExp]> = [
  ['its head is missing', 'DELETE FROM chain_head WHERE seq = $1', /head of entry \d+ is missing/],
  ['all heads are missing', 'DELETE FROM chain_head', /head of entry \d+ is missing/],
  [
    'its head was changed',
    `UPDATE chain_head SET signature = reverse(signature) WHERE seq = $1`,
    /head of entry \d+ is missing or was changed/,
  ],
  [
    'its entry has another hash',
    `UPDATE chain_entry SET entry_hash = reverse(entry_hash) WHERE seq = $1`,
    /signed entry \d+ is missing or was changed/,
  ],
  ['its entry is missing', 'DELETE FROM chain_entry WHERE seq = $1', /signed entry \d+ is missing/],
  [
    'a newer head has an unknown key',
    `WITH entry AS (
       INSERT INTO chain_entry SELECT seq + 1, kind, 'x', txid, record_hash, entry_hash, 'x', format
       FROM chain_entry WHERE seq = $1 RETURNING *
     ) INSERT INTO chain_head SELECT seq, 'x', now(), 'nobody', 'x' FROM entry`,
    /the head of entry \d+: the key nobody that signed it is not published/,
  ],
  [
    'a newer head was signed at no time',
    `WITH entry AS (
       INSERT INTO chain_entry SELECT seq + 1, kind, 'x', txid, record_hash, entry_hash, 'x', format
       FROM chain_entry WHERE seq = $1 RETURNING *
     ) INSERT INTO chain_head SELECT entry.seq, 'x', 'infinity', kid, 'x' FROM entry, chain_key`,
    /the head of entry \d+: its signature is invalid/,
  ],
];

test('a builder whose last head was changed stops until it is restarted', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  await makeLog(ledger);
  await chainAll(ledger);
  const [seq] = await newestHead(ledger);
  const { pool } = ledger.context.stores.live;
  await asOwner(ledger, (client) =>
    client.query(`CREATE TABLE entries_as_they_were AS SELECT * FROM chain_entry;
      CREATE TABLE heads_as_they_were AS SELECT * FROM chain_head`),
  );
  for (const [name, sql, said] of changes) {
    const parts = partsOf(ledger);
    await extendChain(parts);
    await pool.query(sql.replaceAll('$1', seq));
    const error = await extendChain(parts).catch((thrown) => thrown);
    t.match(error, LogWasChanged, name);
    t.match(error.message, said);
    await pool.query(`DELETE FROM chain_entry; DELETE FROM chain_head;
      INSERT INTO chain_entry SELECT * FROM entries_as_they_were;
      INSERT INTO chain_head SELECT * FROM heads_as_they_were`);
    await t.rejects(extendChain(parts), LogWasChanged, 'even after it was restored');
    await t.resolves(extendChain(partsOf(ledger)), 'a new builder finds no problem');
  }
});

test('builders that sign in turn remember the heads of each other', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const builders = [1, 2, 3].map(() => partsOf(ledger, { memory: new HeadMemory() }));
  const requests = Array.from({ length: 9 }, () => proposalOf(newSpender()));
  for (const [turn, request] of requests.entries()) {
    await ledger.handlers.Commit(request, callOf(ledger));
    for (const parts of builders.slice(turn % 3, (turn % 3) + 1)) await extended(parts);
  }
  t.match(await verified(ledger), { entries: 9, bad: null, waiting: 0 });
  t.ok((await verified(ledger)).heads >= 9);
  for (const parts of builders) await extendChain(parts);
  const last = requests.at(-1)?.authorizationId ?? '';
  await asOwner(ledger, (client) => forge(client, last));
  for (const parts of builders) {
    await t.rejects(extendChain(parts), LogWasChanged, 'also heads signed by another builder');
  }
});

test('a head whose commit failed is not considered removed', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const { pool } = ledger.context.stores.live;
  const parts = partsOf(ledger);
  await makeLog(ledger);
  await pool.query(
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'lost'; END $$;
     CREATE CONSTRAINT TRIGGER fail_at_commit AFTER INSERT ON chain_head
       DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`,
  );
  await t.rejects(extended(parts), /lost/);
  await pool.query('DROP TRIGGER fail_at_commit ON chain_head');
  await chainAll(ledger, parts);
  t.match(await verified(ledger), { entries: 11, bad: null });
});

test('a log is invalid without a head that was due', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const { pool } = ledger.context.stores.live;
  const [request] = await makeLog(ledger);
  await chainAll(ledger, { clock: overdue });
  t.match(await verified(ledger), { bad: null }, 'the last entry is signed');
  const refer = (kind: string, rows: number) =>
    pool.query(
      `INSERT INTO reference (authorization_id, kind, principal_id, value)
       SELECT $1, $2 || n, 'prn', 'x' FROM generate_series(1, $3::int) n`,
      [request?.authorizationId, kind, rows],
    );
  await refer('at once', entriesAtOnce);
  await extended(partsOf(ledger, { clock: overdue }));
  t.match(await verified(ledger), { bad: null }, 'those of one transaction share a head');
  const [seq] = await newestHead(ledger);
  const first = String(BigInt(seq) + 1n);
  await refer('later', entriesAtOnce + 1);
  const unsigned = { headEveryMs: Number.POSITIVE_INFINITY };
  await extended(partsOf(ledger, unsigned));
  const problem = new RegExp(`it has no signed head: the last one is of entry ${seq}`);
  t.match(await verified(ledger), { bad: { seq: first, problem } });
  await extended(partsOf(ledger, unsigned));
  await extendChain(partsOf(ledger));
  const gap = /it has no signed head before that of entry \d+/;
  t.match(await verified(ledger), { bad: { seq: first, problem: gap } }, 'signed too late');
});

test('entries since the last head are valid without a head of their own', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  await makeLog(ledger);
  await chainAll(ledger, { clock: nearlyOverdue });
  const heads = [await newestHead(ledger)];
  const { kids } = await verified(ledger);
  await makeLog(ledger);
  await chainAll(ledger, { headEveryMs: Number.POSITIVE_INFINITY });
  const [report, compared] = [await verified(ledger), await verified(ledger, { heads, kids })];
  t.match(report, { entries: 22, bad: null, lastHead: { seq: heads[0]?.[0] } });
  t.same(compared, report);
});

test('a payment that is counted in a later day is not one without a head', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const { pool } = ledger.context.stores.live;
  const spender = newSpender();
  const commit = () => ledger.handlers.Commit(proposalOf(spender), callOf(ledger));
  await commit();
  await chainAll(ledger);
  await pool.query(`UPDATE mandate_usage SET day = '2199-12-31', month = '2199-12'`);
  await commit();
  await chainAll(ledger, { headEveryMs: 60_000 });
  const moved = `SELECT count(*) FROM authorization_record WHERE created_at = '2199-12-31T00:00Z'`;
  t.equal(await count(ledger, moved), 1);
  t.match(await verified(ledger), { entries: 2, bad: null });
});

test('a log without heads is invalid if there is a signing key, and valid if not', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  await makeLog(ledger);
  await chainAll(ledger);
  const heads = [await newestHead(ledger)];
  const { kids } = await verified(ledger);
  const { pool } = ledger.context.stores.live;
  await asOwner(ledger, (client) => client.query('DELETE FROM chain_head'));
  t.match(await verified(ledger), {
    bad: { seq: '1', problem: /no signed head: there is none at all/ },
  });
  await pool.query('DELETE FROM chain_key');
  t.match(await verified(ledger), { bad: null, lastHead: null, heads: 0 }, 'nothing was signed');
  t.match(await verified(ledger, { kids }), { bad: { seq: '1', problem: /none at all/ } });
  const problem = /it has a kept head, but its signed head is missing/;
  t.match(await verified(ledger, { heads }), { bad: { seq: heads[0]?.[0], problem } });
  await pool.query('DELETE FROM chain_entry');
  t.match(await verified(ledger, { heads }), { bad: { seq: '1', problem: /were signed/ } });
});

test('a head signed with an inserted key is rejected if the keys are given', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const [request] = await makeLog(ledger);
  await chainAll(ledger);
  const { kids } = await verified(ledger);
  const [seq] = await newestHead(ledger);
  const cipher = new Cipher([Buffer.alloc(32, 9)]);
  const key = newChainKey(cipher);
  const { kid } = key;
  const signedAt = isoTime(Date.now());
  await asOwner(ledger, async (client) => {
    await forge(client, request?.authorizationId ?? '');
    const { algorithm, publicJwk, sealedPrivate, sealedBy } = key;
    await client.query(addKeySql, [kid, algorithm, publicJwk, sealedPrivate, sealedBy, signedAt]);
    const entry = 'SELECT entry_hash AS hash FROM chain_entry WHERE seq = $1';
    const { rows } = await client.query<{ hash: string }>(entry, [seq]);
    const entryHash = rows[0]?.hash ?? '';
    const statement = { environment: 'live', seq, entryHash, signedAt, kid };
    const signature = signHead(statement, key, cipher);
    await client.query(addHeadSql, [seq, entryHash, signedAt, kid, signature]);
  });
  t.match(await verified(ledger), { bad: null, kids: [kid] }, 'the database alone cannot tell');
  t.match(await verified(ledger, { kids }), { bad: { seq, problem: /not one of the given keys/ } });
  const { pool } = ledger.context.stores.live;
  await pool.query(`UPDATE chain_key SET public_jwk = '{}' WHERE kid = $1`, [kid]);
  t.match(await verified(ledger), { bad: { seq, problem: /its signature is invalid/ } });
  await pool.query('DELETE FROM chain_key WHERE kid = $1', [kid]);
  t.match(await verified(ledger), { bad: { seq, problem: /is not published/ } });
});

test('the service reports in /metrics that it no longer extends the chain', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const { metrics } = ledger.context;
  const refusing = async (): Promise<Record<string, number>> => {
    const { values } = (await metrics.registry
      .getSingleMetric('countersign_chain_refused')
      ?.get()) ?? { values: [] };
    return Object.fromEntries(values.map(({ labels, value }) => [labels.environment, value]));
  };
  await startServer(ledger.context);
  const [request] = await makeLog(ledger);
  await until(async () => (await count(ledger, headsSql)) > 0, { what: 'a signed head' });
  t.same(await refusing(), { live: 0, sandbox: 0 });
  await asOwner(ledger, (client) => forge(client, request?.authorizationId ?? ''));
  await until(async () => (await refusing()).live === 1, { what: 'the refusal' });
  t.same(await refusing(), { live: 1, sandbox: 0 }, 'the other environment is not affected');
});
