import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Cipher } from '@countersign/kernel/cipher';
import { inTransaction } from '@countersign/runtime/database';
import { until } from '@countersign/runtime/testing';
import { test } from 'tap';
import { extendChain } from '../chain/extend.js';
import { chainKinds } from '../chain/kinds.js';
import { HeadMemory, LogWasChanged } from '../chain/memory.js';
import { verifyLog } from '../chain/verify.js';
import { startServer } from '../server.js';
import { addEntry, chainAll, makeLog, partsOf, switchTriggersOff, verified } from './chained.js';
import {
  callOf,
  count,
  createWorld,
  type Ledger,
  newSpender,
  proposalOf,
  retryUnavailable,
} from './fixture.js';

test('all records and appended facts are chained, signed and verified', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  await makeLog(ledger);
  const entries = await chainAll(ledger);
  t.equal(entries, 11);
  const kinds = `SELECT count(DISTINCT kind) FROM chain_entry`;
  t.equal(await count(ledger, kinds), 5);
  t.match(await verified(ledger), { entries, bad: null, waiting: 0, kids: { length: 1 } });
  t.ok((await verified(ledger)).heads >= 1);
  await makeLog(ledger);
  t.ok(
    (await verified(ledger)).waiting > 0,
    'rows that are not chained yet are counted, and valid',
  );
  await chainAll(ledger);
  t.match(await verified(ledger), { entries: entries * 2, bad: null });
  // Heads are bound to their environment, even if everything else is identical.
  t.match(
    (await verified(ledger, { environment: 'sandbox' })).bad?.problem,
    /signature is invalid/,
  );
  const other = new Cipher([Buffer.alloc(32, 8)]);
  await makeLog(ledger);
  await chainAll(ledger, { cipher: other });
  t.equal((await verified(ledger)).kids.length, 2, 'a key that cannot be decrypted is replaced');
  await makeLog(ledger);
  await chainAll(ledger, { cipher: other });
  t.equal((await verified(ledger)).kids.length, 2, 'once');
  t.match(await verified(ledger), { bad: null });
});

test('builders of several replicas, killed at any time, form one chain', async (t) => {
  const world = await createWorld(t);
  const replicas = [await world.start(), await world.start()];
  const [ledger = await world.start(), other = ledger] = replicas;
  let busy = true;
  const build = async (on: Ledger): Promise<void> => {
    const parts = partsOf(on, { memory: new HeadMemory() });
    while (busy) {
      // A builder that is killed leaves no partial entries, and nothing is skipped.
      await extendChain(parts).catch((error) => {
        if (error instanceof LogWasChanged) throw error;
      });
    }
    // All have seen heads of others and still extend the chain.
    await until(async () => (await extendChain(parts)) !== null, { what: 'its turn' });
  };
  const { pool } = ledger.context.stores.live;
  const kill = `SELECT pg_terminate_backend(pid) FROM pg_locks
    WHERE locktype = 'advisory' AND objid = 1003 AND granted AND database =
      (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const building = Promise.all([build(ledger), build(other), build(other)]);
  const limits = { dailyAmount: '1000000' };
  for (let round = 0; round < 15; round += 1) {
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => {
        const on = n % 2 ? ledger : other;
        const request = proposalOf(newSpender(), { limits });
        return retryUnavailable(
          () => on.handlers.Commit(request, callOf(on)),
          ['unavailable', 'deadline'],
        );
      }),
    );
    // The pool may return the connection that has just been terminated.
    if (round % 5 === 2) await pool.query(kill).catch(() => null);
  }
  busy = false;
  await building;
  await chainAll(ledger);
  t.match(await verified(ledger), { entries: 600, bad: null, waiting: 0 });
});

test('a row of a long transaction is neither skipped nor chained out of order', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const { pool } = ledger.context.stores.live;
  const request = proposalOf(newSpender());
  await ledger.handlers.Commit(request, callOf(ledger));
  const late = await pool.connect();
  await late.query('BEGIN');
  const insert = `INSERT INTO reference (authorization_id, kind, principal_id, value)
    VALUES ($1, $2, 'prn', 'x')`;
  await late.query(insert, [request.authorizationId, 'late']);
  await pool.query(insert, [request.authorizationId, 'after']);
  await extendChain(partsOf(ledger));
  const references = `SELECT count(*) FROM chain_entry WHERE kind = 'reference'`;
  t.equal(await count(ledger, references), 0, 'no entry is added after a running transaction');
  t.match(await verified(ledger), { bad: null }, 'which is nothing bad');
  await late.query('COMMIT');
  late.release();
  await chainAll(ledger);
  const { rows } = await pool.query<{ ref: string }>(
    `SELECT ref FROM chain_entry WHERE kind = 'reference' ORDER BY seq`,
  );
  const refs = rows.map(({ ref }) => ref.split('/')[1]);
  t.same(refs, ['late', 'after']);
  t.match(await verified(ledger), { bad: null });
});

test('the service extends the chain continuously', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  await startServer(ledger.context);
  await makeLog(ledger);
  const chained = async (): Promise<boolean> => {
    const { waiting, heads } = await verified(ledger);
    return waiting === 0 && heads > 0;
  };
  await until(chained, { what: 'the chain' });
  t.match(await verified(ledger), { bad: null });
});

test('a new column of a chained table must be hashed', async (t) => {
  const world = await createWorld(t);
  const { context } = await world.start();
  for (const { table, columns } of chainKinds) {
    const { rows } = await context.stores.live.pool.query<{ name: string }>(
      `SELECT column_name::text AS name FROM information_schema.columns
       WHERE table_name = $1 AND table_schema = 'public' ORDER BY ordinal_position`,
      [table],
    );
    t.strictSame([...columns].sort(), rows.map(({ name }) => name).sort(), table);
  }
});

/** Manipulations by the owner of the database, who can disable its triggers. */
const damage: ReadonlyArray<readonly [name: string, sql: string, said: RegExp]> = [
  [
    'one byte of a record',
    `UPDATE authorization_record SET merchant_name = 'x' WHERE id = $1`,
    /authorization $1: its row was changed/,
  ],
  [
    'a byte of its answer',
    `UPDATE authorization_record SET answer = replace(answer, 'APPROVE', 'APPROVF') WHERE id = $1`,
    /authorization $1: its row was changed/,
  ],
  [
    'a deleted record',
    `DELETE FROM reference WHERE authorization_id = $1; DELETE FROM outcome
     WHERE authorization_id = $1; DELETE FROM authorization_record WHERE id = $1`,
    /authorization $1: its row is missing/,
  ],
  [
    'an appended fact that was changed',
    `UPDATE outcome SET settled_amount = 7 WHERE authorization_id = $1`,
    /outcome out_\S+1: its row was changed/,
  ],
  [
    'two swapped entries',
    `UPDATE chain_entry SET seq = -seq WHERE seq IN (2, 3);
     UPDATE chain_entry SET seq = 5 + seq WHERE seq IN (-2, -3)`,
    /entry 2: authorization \S+: it does not follow the entry before it/,
  ],
  [
    'a deleted entry',
    `DELETE FROM chain_entry WHERE seq = 4`,
    /entry 5: .*: entry 4 before it is missing/,
  ],
  [
    'an entry that hides what it covered',
    `UPDATE chain_entry SET entry_hash = repeat('0', 64) WHERE seq = 4`,
    /entry 4: .*: the entry itself was changed/,
  ],
  [
    'a record and its entry, recomputed',
    `UPDATE chain_entry SET record_hash = repeat('0', 64) WHERE ref = $1`,
    /authorization $1: its row was changed/,
  ],
  [
    'a row inserted among older ones',
    `INSERT INTO reference (authorization_id, kind, principal_id, value, txid)
     VALUES ($1, 'slipped', 'prn', 'x', '5')`,
    /outside the chain: reference $1\/slipped: no entry covers/,
  ],
  [
    'a row that pretends to be of a transaction to come',
    `INSERT INTO reference (authorization_id, kind, principal_id, value, txid)
     VALUES ($1, 'early', 'prn', 'x', '9000000000000000000')`,
    /outside the chain: reference $1\/early: its transaction has yet to begin/,
  ],
  [
    'a row of no transaction',
    `ALTER TABLE reference ALTER txid DROP NOT NULL;
     INSERT INTO reference (authorization_id, kind, principal_id, value, txid)
     VALUES ($1, 'never', 'prn', 'x', NULL)`,
    /outside the chain: reference $1\/never: it has no transaction/,
  ],
  [
    'a row of no name',
    `ALTER TABLE outcome DROP CONSTRAINT outcome_pkey; DROP INDEX outcome_once;
     ALTER TABLE outcome ALTER id DROP NOT NULL;
     CREATE TEMP TABLE twin AS SELECT * FROM outcome WHERE authorization_id = $1;
     UPDATE twin SET id = NULL, txid = '5';
     INSERT INTO outcome SELECT * FROM twin; DROP TABLE twin`,
    /outside the chain: outcome unknown: no entry covers/,
  ],
  [
    'a second row with the id of a record',
    `ALTER TABLE authorization_record DROP CONSTRAINT authorization_record_pkey CASCADE;
     CREATE TEMP TABLE twin AS SELECT * FROM authorization_record WHERE id = $1;
     UPDATE twin SET amount = 1, txid = '5', idempotency_key = NULL;
     INSERT INTO authorization_record SELECT * FROM twin; DROP TABLE twin`,
    /outside the chain: authorization $1: no entry covers/,
  ],
  [
    'a second row with the id of a record, which is not chained yet',
    `ALTER TABLE authorization_record DROP CONSTRAINT authorization_record_pkey CASCADE;
     CREATE TEMP TABLE twin AS SELECT * FROM authorization_record WHERE id = $1;
     UPDATE twin SET amount = 1, txid = pg_current_xact_id(), idempotency_key = NULL;
     INSERT INTO authorization_record SELECT * FROM twin; DROP TABLE twin`,
    /outside the chain: authorization $1: a chained row has the same id/,
  ],
  [
    'a row of another kind with the id and the transaction of a record',
    `INSERT INTO system_void (authorization_id, answer, facts, answered_at, created_at, txid)
     SELECT id, answer, facts, created_at, created_at, txid FROM authorization_record
     WHERE id = $1`,
    /outside the chain: system_void $1: no entry covers/,
  ],
  [
    'a second row with the id and the transaction of a record',
    `ALTER TABLE authorization_record DROP CONSTRAINT authorization_record_pkey CASCADE;
     INSERT INTO authorization_record SELECT * FROM authorization_record WHERE id = $1`,
    /authorization $1: another row has the same id and transaction/,
  ],
  [
    'a row inserted among older ones, with an entry below the first',
    `INSERT INTO reference (authorization_id, kind, principal_id, value, txid)
     VALUES ($1, 'slipped', 'prn', 'x', '5');
     INSERT INTO chain_entry SELECT 0, 'reference', $1 || '/slipped', '5', record_hash, '', '', 2
     FROM chain_entry WHERE seq = 1`,
    /entry 0: reference $1\/slipped: entries are numbered from 1/,
  ],
  [
    'two entries with one number',
    `ALTER TABLE chain_entry DROP CONSTRAINT chain_entry_pkey;
     INSERT INTO chain_entry SELECT seq, 'reference', 'x', txid, record_hash, '', '', 2
     FROM chain_entry WHERE seq = 11`,
    /entry 11: \S+ \S+: another entry has the same number/,
  ],
  [
    'a truncated log',
    `DELETE FROM chain_entry WHERE seq > 7; DELETE FROM reference; DELETE FROM outcome`,
    /entry 8: .*were signed, but those after 7 are missing/,
  ],
  [
    'a head with an invalid signature',
    `UPDATE chain_head SET signature = reverse(signature)`,
    /its signature is invalid/,
  ],
];

test('every manipulation of a log is detected, and the first bad entry is named', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const requests = await makeLog(ledger);
  await chainAll(ledger);
  const id = requests.at(-1)?.authorizationId ?? '';
  const { pool } = ledger.context.stores.live;
  for (const [name, sql, said] of damage) {
    const report = await inTransaction(pool, async (client) => {
      await switchTriggersOff(client);
      await client.query(sql.replaceAll('$1', `'${id}'`));
      const found = await verifyLog(client, 'live');
      await client.query('ROLLBACK; BEGIN');
      return found;
    });
    const { seq, kind, ref, problem } = report.bad ?? {};
    const where = seq === null ? 'outside the chain' : `entry ${seq}`;
    t.match(
      `${where}: ${kind} ${ref}: ${problem}`,
      new RegExp(said.source.replace('$1', id)),
      name,
    );
  }
  t.match(await verified(ledger), { bad: null });
});

test('a row of an older transaction is not made valid by an entry of its own', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const [request] = await makeLog(ledger);
  await chainAll(ledger);
  const late = { kind: 'reference', ref: `${request?.authorizationId}/late`, txid: '5' };
  await inTransaction(ledger.context.stores.live.pool, async (client) => {
    await switchTriggersOff(client);
    await client.query(
      `INSERT INTO reference (authorization_id, kind, principal_id, value, txid)
       VALUES ($1, 'late', 'prn', 'x', $2)`,
      [request?.authorizationId, late.txid],
    );
    await addEntry(client, late);
  });
  const problem = 'its row was inserted among older ones';
  t.match(await verified(ledger), { entries: 11, bad: { seq: '12', ref: late.ref, problem } });
});

test('the command reports the result in its exit code, with only a database', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const requests = await makeLog(ledger);
  await chainAll(ledger);
  const program = fileURLToPath(new URL('../verify-log.js', import.meta.url));
  const env = { PATH: process.env.PATH, DATABASE_URL: world.urls.live };
  const run = (...args: string[]): Promise<string> =>
    new Promise((resolve) => {
      execFile(process.execPath, [program, 'live', ...args], { env }, (error, stdout, stderr) => {
        resolve(`${error?.code ?? 0} ${stdout}${stderr}`);
      });
    });
  const output = await run();
  t.match(
    output,
    /^0 live: \d+ entries and \d+ signed heads are valid, 0 rows are not chained yet/,
  );
  const head = `--head=${/^last head: (\S+) at /m.exec(output)?.[1]}`;
  const key = `--key=${/^signed by: (\S+)$/m.exec(output)?.[1]}`;
  t.match(
    await run(head, key),
    /^0 .*^compared with 1 kept head/ms,
    'the printed head and key are accepted',
  );
  t.match(await run(key, `${head.slice(0, -4)}0bad`), /^1 .*BAD entry 11: .*its kept head/s);
  for (const both of [
    [head, `${head.slice(0, -4)}0bad`],
    [`${head.slice(0, -4)}0bad`, head],
  ]) {
    t.match(await run(...both), /^1 .*its kept head/s, 'nor is one of two');
  }
  t.match(await run(head, '--key=another'), /^1 .*BAD entry \d+: .* not one of the given keys/s);
  for (const args of [['--head=11'], ['--head='], ['--heads=1'], ['sandbox']]) {
    t.match(await run(...args), /^2 usage: /, `${args} is not passed over`);
  }
  const unread = execFile(process.execPath, [program, 'live'], { env });
  unread.stdout?.destroy();
  t.same(await once(unread, 'exit'), [0, null], 'no reader does not make the log invalid');
  const id = requests[0]?.authorizationId ?? '';
  await ledger.context.stores.live.pool.query(
    `ALTER TABLE authorization_record DISABLE TRIGGER ALL;
     UPDATE authorization_record SET facts = facts || ' ' WHERE id = '${id}'`,
  );
  t.match(
    await run(),
    new RegExp(`^1 .*BAD entry 1: authorization ${id}: its row was changed`, 's'),
  );
});
