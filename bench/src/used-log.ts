import { connected } from '@countersign/tools/migrations/connection';

/** Of 16 MB each: more than is written between two checkpoints of a run. */
const files = 128;

/**
 * Brings PostgreSQL to the state of a server that has run for a while and recycles its WAL files. A
 * new server first fills each file with zeros, and stalls for 60 ms with every 16 MB written.
 */
export async function useLogFiles(url: string): Promise<void> {
  await connected({ connectionString: url }, async (client) => {
    // How many recycled files a checkpoint keeps.
    await client.query("ALTER SYSTEM SET min_wal_size = '2GB'");
    await client.query('SELECT pg_reload_conf()');
    for (let file = 0; file < files; file += 1) {
      // If nothing was written since the last switch, there is nothing to switch.
      await client.query(`SELECT pg_logical_emit_message(false, 'bench', '')`);
      await client.query('SELECT pg_switch_wal()');
    }
    await client.query('CHECKPOINT');
  });
}
