import { withClient } from './with-client.js';

/** Of 16 MB each: more than is written between two checkpoints of a run. */
const files = 128;

/**
 * Leaves PostgreSQL as one that has been up for a while: it writes its log into files that it has
 * used before. A new server fills each file with zeros first, and stands still for 60 ms with every
 * 16 MB that anybody writes.
 */
export async function useLogFiles(url: string): Promise<void> {
  await withClient(url, async (client) => {
    // What a checkpoint keeps of the used ones.
    await client.query("ALTER SYSTEM SET min_wal_size = '2GB'");
    await client.query('SELECT pg_reload_conf()');
    for (let file = 0; file < files; file += 1) {
      // Where nothing was written since the last switch there is nothing to switch.
      await client.query(`SELECT pg_logical_emit_message(false, 'bench', '')`);
      await client.query('SELECT pg_switch_wal()');
    }
    await client.query('CHECKPOINT');
  });
}
