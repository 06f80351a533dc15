import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '@countersign/kernel/id';
import { createPool, type Pool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { createTestDatabase, until } from '@countersign/runtime/testing';
import { Wire } from '@countersign/runtime/testing/wire';
import { test } from 'tap';
import { faultOf } from '../test/fault-of.js';
import { later, readerOf } from '../test/reader.js';
import { StateCache } from './cache.js';
import type { StateReader } from './reader.js';

function readOne(reader: StateReader, endsAt = later()) {
  return reader.read({ principalId: newId('principal'), agentId: newId('agent'), endsAt });
}

test('that a Principal has no thresholds is cached, unless some came meanwhile', async (t) => {
  const cache = new StateCache();
  const [setMeanwhile, setNever] = [newId('principal'), newId('principal')];
  const query = async () => {
    cache.holdThresholds(setMeanwhile, 1, '{"velocity_burst_count": 100}');
    return { rows: [] };
  };
  const pool = { query } as unknown as Pool;
  const reader = readerOf(pool, cache);
  const asked = { agentId: newId('agent'), endsAt: later() };
  await Promise.all([
    reader.read({ principalId: setMeanwhile, ...asked }),
    reader.read({ principalId: setNever, ...asked }),
  ]);
  t.equal(cache.thresholdsOf(setMeanwhile)?.thresholds.velocityBurstCount, 100);
  t.equal(cache.thresholdsOf(setNever)?.thresholds.velocityBurstCount, 10);
  t.equal(cache.thresholdsOf(newId('principal')), null, 'never read');
});

test('an unreadable row fails only its own read', async (t) => {
  const unreadable = { place: 1, profile_version: 1, profile: '{', traces_since: 0, traces: null };
  const pool = { query: async () => ({ rows: [unreadable] }) } as unknown as Pool;
  const reader = readerOf(pool, new StateCache());
  const [one, other] = await Promise.allSettled([readOne(reader), readOne(reader)]);
  t.equal(one.status, 'rejected');
  t.match(other, { status: 'fulfilled', value: { profile: null } });
});

/** A pool whose statements end when the test lets them. */
class HeldPool {
  readonly statements: Array<{ size: number; end: () => void }> = [];

  query({ values }: { values: [Buffer, ...unknown[]] }): Promise<{ rows: [] }> {
    const size = values[0].readInt32BE(sizeAt);
    return new Promise((resolve) => {
      this.statements.push({ size, end: () => resolve({ rows: [] }) });
    });
  }

  async reach(count: number): Promise<void> {
    await until(() => this.statements.length === count, { what: `${count} statements` });
  }

  end(index: number): void {
    this.statements[index]?.end();
  }
}

/** Where an array in PostgreSQL's binary format has the number of its items. */
const sizeAt = 12;

/** A reader for which a read is overdue after ten milliseconds. */
function heldReader() {
  const pool = new HeldPool();
  return { pool, reader: readerOf(pool as unknown as Pool, new StateCache(), 80) };
}

test('while a read does not end, the next ones wait for one another only', async (t) => {
  const { reader, pool } = heldReader();
  const stuck = readOne(reader);
  await pool.reach(1);
  const next = [readOne(reader), readOne(reader)];
  await pool.reach(2);
  t.equal(pool.statements[1]?.size, 2, 'one statement for all that waited');
  pool.end(1);
  await Promise.all(next);
  const last = readOne(reader);
  await pool.reach(3);
  pool.end(2);
  await last;
  pool.end(0);
  await stuck;
});

test('at most three reads are in flight, and who has waited too long is left out', async (t) => {
  const { reader, pool } = heldReader();
  const stuck: Array<Promise<unknown>> = [];
  for (const count of [1, 2, 3]) {
    stuck.push(readOne(reader));
    await pool.reach(count);
  }
  const late = faultOf(readOne(reader, Date.now()));
  stuck.push(readOne(reader));
  // Whatever the reader would begin by itself, it has begun when a longer timer fires.
  await pause(100);
  t.equal(pool.statements.length, 3);
  pool.end(1);
  await pool.reach(4);
  t.equal(pool.statements[3]?.size, 1);
  t.equal((await late).kind, 'deadline');
  for (const index of [0, 2, 3]) pool.end(index);
  await Promise.all(stuck);
});

test('a connection that falls silent is given up with its read', async (t) => {
  const { url, drop } = await createTestDatabase('decision');
  const wire = await Wire.to(url);
  const log = createLog({ service: 'test', level: 'silent' });
  const pool = createPool({ url: wire.url, size: 1, log, statementTimeoutMs: 3_600_000 });
  t.teardown(async () => {
    wire.close();
    await pool.end();
    await drop();
  });
  const reader = readerOf(pool, new StateCache(), 1_000);
  await readOne(reader);
  wire.hold();
  await t.rejects(readOne(reader), /timeout/);
  t.match(await readOne(reader), { profile: null });
});
