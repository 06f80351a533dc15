import type { Client } from 'pg';

/**
 * Vacuums new tables, so that they resemble tables that have been in use for long: otherwise the
 * server would process and write a million new rows during the rounds measured next.
 */
export async function settleTables(client: Client, tables: readonly string[]): Promise<void> {
  for (const table of tables) await client.query(`VACUUM (ANALYZE) ${table}`);
  await client.query('CHECKPOINT');
}
