import { sessionSetup } from '@countersign/kernel/database-session';
import { Client, type ClientBase, type ClientConfig } from 'pg';

export const connectDeadlineMs = 5_000;
const statementTimeoutMs = 120_000;

/** For what takes as long as it takes. */
const unbounded = { statementTimeoutMs: 0, lockTimeoutMs: 0, idleInTransactionTimeoutMs: 0 };

export async function openSession(client: ClientBase): Promise<void> {
  const query = { text: sessionSetup(unbounded), query_timeout: connectDeadlineMs };
  await client.query(query);
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
