import { Client } from 'pg';

interface Backup {
  /** Puts the copy in the place of the database, whose connections end. */
  restore(): Promise<void>;
  drop(): Promise<void>;
}

/** A copy of a database. Whoever is connected to it meanwhile has to connect again. */
export async function backUpDatabase(databaseUrl: string): Promise<Backup> {
  const name = new URL(databaseUrl).pathname.slice(1);
  const server = new URL(databaseUrl);
  server.pathname = '/postgres';
  const run = (...statements: string[]) => runAll(server.toString(), statements);
  const alone = (...statements: string[]) =>
    run(
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`,
      ...statements,
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`,
    );
  const [backup, lost] = [`${name}_backup`, `${name}_lost`];
  await alone(`CREATE DATABASE ${backup} TEMPLATE ${name}`);
  return {
    restore: () =>
      alone(
        `ALTER DATABASE ${name} RENAME TO ${lost}`,
        `ALTER DATABASE ${backup} RENAME TO ${name}`,
      ),
    drop: () => run(...[backup, lost].map((each) => `DROP DATABASE IF EXISTS ${each}`)),
  };
}

async function runAll(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
