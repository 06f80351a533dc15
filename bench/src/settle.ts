import type { Client } from 'pg';

/**
 * As tables are that have been in use for long: without it the server would tidy up a million new
 * rows, and write them out, within the rounds of whoever is measured next.
 */
export async function settleTables(client: Client, tables: readonly string[]): Promise<void> {
  for (const table of tables) await client.query(`VACUUM (ANALYZE) ${table}`);
  await client.query('CHECKPOINT');
}
