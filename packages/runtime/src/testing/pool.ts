import { createPool, type Pool } from '../database.js';
import { createLog } from '../log.js';
import { createTestDatabase } from '../testing.js';

/** The test that the database ends with. */
interface Owner {
  teardown(end: () => Promise<void>): void;
}

/** Connections to a database of its own, migrated like one of that service. */
export async function openTestPool(owner: Owner, service: string): Promise<Pool> {
  const database = await createTestDatabase(service);
  const log = createLog({ service: 'test', level: 'silent' });
  const pool = createPool({ url: database.url, size: 2, log });
  owner.teardown(async () => {
    await pool.end();
    await database.drop();
  });
  return pool;
}
