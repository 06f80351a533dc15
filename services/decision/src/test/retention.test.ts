import { createPool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { until } from '@countersign/runtime/testing';
import root, { test } from 'tap';
import { startDecision } from './decision-service.js';

const { context, stop } = await startDecision({}, { prepare: leaveOldEvents });
root.teardown(stop);

/** One row for each day around the end of its retention. */
async function leaveOldEvents(databaseUrl: string): Promise<void> {
  const log = createLog({ service: 'test', level: 'silent' });
  const pool = createPool({ url: databaseUrl, size: 1, log, statementTimeoutMs: 60_000 });
  const isConnected = () =>
    pool.query('SELECT 1').then(
      () => true,
      () => false,
    );
  await until(isConnected, { timeoutMs: 60_000, what: 'a connection' });
  await pool.query(
    `INSERT INTO inbox SELECT 'in_' || d, now() - d * interval '1 day'
     FROM generate_series(14, 16) d`,
  );
  await pool.query(
    `INSERT INTO outbox (event_id, type, payload, created_at, published_at)
     SELECT 'out_' || d, 'trust.changed', '{}', at, at
     FROM generate_series(6, 8) d, LATERAL (SELECT now() - d * interval '1 day') AS t (at)`,
  );
  await pool.end();
}

test('inbox and outbox rows are deleted after their retention, and not before', async (t) => {
  const kept = async (): Promise<string> => {
    const { rows } = await context.stores.live.pool.query<{ event_id: string }>(
      'SELECT event_id FROM inbox UNION SELECT event_id FROM outbox ORDER BY event_id',
    );
    return rows.map((row) => row.event_id).join();
  };
  await until(async () => (await kept()) === 'in_14,out_6', {
    timeoutMs: 90_000,
    what: 'the sweep',
  });
  t.equal(await kept(), 'in_14,out_6');
});
