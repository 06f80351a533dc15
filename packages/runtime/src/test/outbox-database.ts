import { newId } from '@countersign/kernel/id';
import { Client } from 'pg';
import { createPool, type Pool } from '../database.js';
import { createLog } from '../log.js';
import { testUrl } from '../testing.js';

const log = createLog({ service: 'test', level: 'silent' });

/**
 * A database with only the tables of the outbox, dropped at the end. `watch` is a separate
 * connection, so that observing does not queue behind the work observed.
 */
export async function withDatabase(
  work: (pool: Pool, watch: Pool) => Promise<void>,
): Promise<void> {
  const name = `test_bus_${newId('event').slice(4)}`;
  const admin = new Client({ connectionString: testUrl('postgres') });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(testUrl('postgres'));
  url.pathname = `/${name}`;
  const pool = createPool({ url: url.toString(), size: 8, log });
  const watch = createPool({ url: url.toString(), size: 1, log });
  try {
    await pool.query(`
      CREATE TABLE outbox (seq bigserial PRIMARY KEY, event_id text UNIQUE NOT NULL,
        type text NOT NULL, payload text NOT NULL, created_at timestamptz DEFAULT now(),
        published_at timestamptz);
      CREATE TABLE unpublished (seq bigint PRIMARY KEY);
      CREATE FUNCTION await_publishing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO unpublished SELECT seq FROM added; RETURN NULL; END $$;
      CREATE TRIGGER await_publishing AFTER INSERT ON outbox REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION await_publishing();
      CREATE TABLE inbox (event_id text PRIMARY KEY, received_at timestamptz DEFAULT now());
      CREATE TABLE effect (agent_id text NOT NULL)`);
    await work(pool, watch);
  } finally {
    await Promise.all([pool.end(), watch.end()]);
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  }
}
