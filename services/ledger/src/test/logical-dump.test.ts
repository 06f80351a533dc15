import { readFileSync } from 'node:fs';
import { inTransaction } from '@countersign/runtime/database';
import { test } from 'tap';
import { extendChain } from '../chain/extend.js';
import { addEntry, chainAll, makeLog, partsOf, verified } from './chained.js';
import { createWorld } from './fixture.js';

const guide = new URL(
  '../../../../docs/decisions/0008-a-hash-chain-behind-the-records.md',
  import.meta.url,
);
const section = readFileSync(guide, 'utf8').split('## Restoring a logical dump')[1] ?? '';
const epochSql = /```sql\n(.*?)```/s.exec(section)?.[1] ?? '';

const half = 2n ** 31n;
const whole = 2n ** 32n;

test('the documented epoch is above all that was chained, and no -x is set', async (t) => {
  // A number more than two billion above those of a server makes all of its rows invisible.
  t.match(section, /`pg_resetwal -e EPOCH DATA_FOLDER`/);
  const { pool } = (await (await createWorld(t)).start()).context.stores.live;
  const epochOf = async () => (await pool.query(epochSql)).rows[0]?.epoch;
  t.equal(await epochOf(), '0', 'an empty log needs none');
  let seq = 0;
  for (const [txid, epoch] of [
    [2_930n, '1'],
    [half + 1_000_000n, '1'],
    [whole - 1n, '1'],
    [3n * whole + half, '4'],
  ] as const) {
    seq += 1;
    await pool.query(
      `INSERT INTO chain_entry (seq, kind, ref, txid, record_hash, previous_hash, entry_hash)
       VALUES ($1, 'authorization', $2, $3::text::xid8, '', '', '')`,
      [seq, `ref-${seq}`, String(txid)],
    );
    t.equal(await epochOf(), epoch, String(txid));
  }
});

test('a log with the numbers of another server is valid, but nothing is added to it', async (t) => {
  const ledger = await (await createWorld(t)).start();
  const [request] = await makeLog(ledger);
  await chainAll(ledger);
  const ref = `${request?.authorizationId}/there`;
  const last = { kind: 'reference', ref, txid: '9000000000000000000' };
  await inTransaction(ledger.context.stores.live.pool, async (client) => {
    await client.query(
      `INSERT INTO reference (authorization_id, kind, principal_id, value, txid)
       VALUES ($1, 'there', 'prn', 'x', $2)`,
      [request?.authorizationId, last.txid],
    );
    await addEntry(client, last);
  });
  t.match(await verified(ledger), { entries: 12, bad: null });
  await t.rejects(extendChain(partsOf(ledger)), /this database server has not assigned yet/);
  t.match(await verified(ledger), { entries: 12, bad: null, lastHead: { seq: '11' } });
});
