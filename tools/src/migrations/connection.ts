import { Client, type ClientConfig } from 'pg';

export const connectDeadlineMs = 5_000;
const statementTimeoutMs = 120_000;

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
    return await use(client);
  } finally {
    // Everything on it has been answered or has failed, whether or not it ends in good order.
    await client.end().catch(() => {});
  }
}

/** Runs one statement on its own connection; rejects with the server's error. */
export async function execute(url: string, sql: string): Promise<void> {
  const config = { connectionString: url, statement_timeout: statementTimeoutMs };
  await connected(config, (client) => client.query(sql));
}
