import t, { test } from 'tap';
import { openCheckedSettlements, receipt } from './checked-settlements.js';

const { pool, settledIds, insertOld, read, check } = await openCheckedSettlements();
const reverted = receipt(false);
const transferred = receipt();
const provisional = { status: 'FAILED', failureReason: 'REVERTED', isProvisional: true };
const takenElsewhere = { status: 'FAILED', failureReason: 'TRANSFER_MISMATCH' };

/** A settlement whose transaction reverted in a block with one confirmation of three. */
async function insertFailed(txHash?: string): Promise<string> {
  const id = await insertOld(3, txHash);
  t.match(await check(await read(id), { receipt: reverted, head: 10n }), provisional);
  return id;
}

test('a revert is final only once its block has enough confirmations', async (t) => {
  const id = await insertFailed();
  const second = await check(await read(id), { receipt: reverted, head: 11n });
  t.match(second, { ...provisional, confirmations: 2 });
  const third = await check(await read(id), { receipt: reverted, head: 12n });
  t.match(third, { ...provisional, isProvisional: false, confirmations: 3 });
  t.equal(await check(await read(id), { receipt: transferred, head: 12n }), null);
  t.match(await read(id), { status: 'FAILED' });
});

test('a transaction that succeeds in another block settles after all', async (t) => {
  const id = await insertFailed();
  const pending = { status: 'PENDING', failureReason: null, isProvisional: false };
  t.match(await check(await read(id), { receipt: transferred, head: 11n }), pending);
  t.match(await check(await read(id), { receipt: transferred }), { status: 'SETTLED' });
  t.ok(settledIds.includes(id));
});

test('a failed transaction that a reorganisation removes is SUBMITTED again', async (t) => {
  const id = await insertFailed();
  const back = { status: 'SUBMITTED', confirmations: 0, block: null, isProvisional: false };
  t.match(await check(await read(id), { receipt: null }), back, 'and found for another day');
});

test('a transaction that another authorization has claimed stays failed', async (t) => {
  const txHash = '0xclaimed';
  // Neither of these is the claim: one has failed as well, the other is of another chain.
  await insertFailed(txHash);
  const elsewhere = await insertFailed(txHash);
  await pool.query(
    `UPDATE settlement SET chain = 'other', status = 'SUBMITTED', failure_reason = NULL,
       failure_provisional = false WHERE id = $1`,
    [elsewhere],
  );
  const id = await insertFailed(txHash);
  const claim = await insertOld(3, txHash);
  const waiting = { receipt: null, isKnown: true };
  t.match(await check(await read(id), waiting), { ...takenElsewhere, isProvisional: true });
  const confirmed = await check(await read(id), { receipt: transferred });
  t.match(confirmed, { ...takenElsewhere, isProvisional: true }, 'the claim may fail yet');
  t.match(await check(await read(claim), { receipt: transferred }), { status: 'SETTLED' });
  const late = await check(await read(id), { receipt: transferred });
  t.match(late, { ...takenElsewhere, isProvisional: false });
  t.notOk(settledIds.includes(id));
});

test('a claim that fails leaves the transaction to the settlement before it', async (t) => {
  const txHash = '0xleft';
  const id = await insertFailed(txHash);
  const claim = await insertOld(3, txHash);
  t.match(await check(await read(id), { receipt: transferred }), takenElsewhere);
  await pool.query("UPDATE settlement SET counterparty = '0x6' WHERE id = $1", [claim]);
  t.match(await check(await read(claim), { receipt: transferred }), takenElsewhere);
  t.match(await check(await read(id), { receipt: transferred }), { status: 'SETTLED' });
});

test('a check that began under another status does not overwrite a newer result', async (t) => {
  const txHash = '0xtaken';
  const absent = { receipt: null };
  const id = await insertFailed(txHash);
  const claim = await insertOld(3, txHash);
  t.match(await check(await read(id), absent), { ...takenElsewhere, block: null });
  t.match(await check(await read(claim), absent), { failureReason: 'NOT_FOUND_TIMEOUT' });
  const slow = await read(id);
  t.match(await check(await read(id), absent), { status: 'SUBMITTED' }, 'as its claim has ended');
  t.equal(await check(slow, absent), null, 'the block and the last sight are the same as then');
});

test('a failure in a block that was found gone meanwhile does not become final', async (t) => {
  const txHash = '0xgone';
  const id = await insertFailed(txHash);
  await insertOld(3, txHash);
  const slow = await read(id);
  t.match(await check(await read(id), { receipt: null }), { ...takenElsewhere, block: null });
  t.equal(await check(slow, { receipt: reverted }), null, 'its status is the same as then');
  t.match(await check(await read(id), { receipt: reverted, head: 10n }), provisional);
});

test('the database rejects changes of a final status', async (t) => {
  const failed = await insertFailed();
  await check(await read(failed), { receipt: reverted });
  const settled = await insertOld(3);
  t.match(await check(await read(settled), { receipt: transferred }), { status: 'SETTLED' });
  const changes: Array<[id: string, change: string]> = [
    [failed, 'failure_provisional = true'],
    [failed, "status = 'SUBMITTED', failure_reason = NULL"],
    [settled, "status = 'PENDING', settled_at = NULL"],
  ];
  for (const [id, change] of changes) {
    const update = pool.query(`UPDATE settlement SET ${change} WHERE id = $1`, [id]);
    await t.rejects(update, { message: /is final/ }, change);
  }
});
