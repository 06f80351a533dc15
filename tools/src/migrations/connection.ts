import { Client, type ClientBase, type ClientConfig } from 'pg';

export const connectDeadlineMs = 5_000;
const statementTimeoutMs = 120_000;

/**
 * For what takes as long as it takes, whatever the server, the database and the role set. As
 * statements, because PgBouncer rejects a connection with a parameter that it does not know.
 */
const sessionSql = `
  SET search_path = public; SET default_transaction_isolation = 'read committed';
  SET DateStyle = 'ISO, MDY'; SET TimeZone = 'UTC'; SET bytea_output = 'hex';
  SET standard_conforming_strings = on; SET transform_null_equals = off;
  SET statement_timeout = 0; SET lock_timeout = 0;
  SET idle_in_transaction_session_timeout = 0; SET idle_session_timeout = 0;
  SELECT set_config('transaction_timeout', '0', false)
  WHERE current_setting('server_version_num')::int >= 170000`;

const ownSessionSql = `
  SELECT pid || ' ' || backend_start AS session FROM pg_stat_activity WHERE pid = pg_backend_pid()`;
const comparisons = 3;

export async function openSession(client: ClientBase): Promise<void> {
  const query = { text: sessionSql, query_timeout: connectDeadlineMs };
  await client.query(query);
}

/**
 * True if a pooler works by transaction: only then can two connections that are open at once have
 * the same session. On a busy pooler the second may be served by another one by chance.
 */
export async function sharesSession(url: string, client: ClientBase): Promise<boolean> {
  return connected({ connectionString: url }, async (other) => {
    for (let count = 0; count < comparisons; count += 1) {
      const one = await client.query(ownSessionSql);
      const another = await other.query(ownSessionSql);
      if (one.rows[0].session === another.rows[0].session) return true;
    }
    return false;
  });
}

/** Gives a connection that is ended afterwards. */
export async function connected<T>(
  config: ClientConfig,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ ...config, connectionTimeoutMillis: connectDeadlineMs });
  // A query that needs the connection fails without it; between two, nobody has to hear of it.
  client.on('error', () => {});
  try {
    await client.connect();
    await openSession(client);
    return await use(client);
  } finally {
    // Everything on it has been answered or has failed, whether or not it ends in good order.
    await client.end().catch(() => {});
  }
}

/** Runs one statement on its own connection; rejects with the server's error. */
export async function execute(url: string, sql: string): Promise<void> {
  await connected({ connectionString: url }, async (client) => {
    await client.query(`SET statement_timeout = ${statementTimeoutMs}`);
    await client.query(sql);
  });
}
