import type { Pool } from '@countersign/runtime/database';
import type { CredentialRecord } from './credential-record.js';

/** A credential and the version that its row has now. */
export type Changed = Pick<CredentialRecord, 'id' | 'environment' | 'version'>;

/**
 * An UPDATE of credentials that returns `columns`, `id` and `version` among them, as a statement
 * that also notes that these versions have to be announced.
 */
export function notedUpdate(update: string, columns: string): string {
  return `
    WITH changed AS (${update} RETURNING ${columns}),
      noted AS (
        INSERT INTO credential_announcement AS known (credential_id, version)
        SELECT id, version FROM changed
        ON CONFLICT (credential_id) DO UPDATE
          SET version = greatest(known.version, excluded.version)
      )
    SELECT * FROM changed`;
}

/** What has to be announced, whoever changed it, in the order of ids. */
export async function readNoted(pool: Pool, after: string, limit: number): Promise<Changed[]> {
  const { rows } = await pool.query<Changed>(
    `SELECT c.id, c.environment, c.version
     FROM credential_announcement noted JOIN credential c ON c.id = noted.credential_id
     WHERE noted.credential_id > $1 ORDER BY noted.credential_id LIMIT $2`,
    [after, limit],
  );
  return rows;
}

/** Forgets what Redis has been told; rows that a change holds are left to it. */
export async function settle(pool: Pool, told: readonly Changed[]): Promise<void> {
  // Waiting for rows, in another order than theirs, could deadlock with those who hold them.
  await pool.query(
    `DELETE FROM credential_announcement WHERE credential_id IN (
       SELECT noted.credential_id
       FROM credential_announcement noted
         JOIN unnest($1::text[], $2::int[]) AS told (id, version) ON told.id = noted.credential_id
       WHERE noted.version <= told.version
       FOR UPDATE OF noted SKIP LOCKED
     )`,
    [told.map(({ id }) => id), told.map(({ version }) => version)],
  );
}
