import { createPool, type Pool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { createTestDatabase } from '@countersign/runtime/testing';
import t from 'tap';

/** Connections to a database of its own, which ends with the test file. */
export async function openTestPool(): Promise<Pool> {
  const database = await createTestDatabase('settlement');
  const log = createLog({ service: 'test', level: 'silent' });
  const pool = createPool({ url: database.url, size: 2, log });
  t.teardown(async () => {
    await pool.end();
    await database.drop();
  });
  return pool;
}
