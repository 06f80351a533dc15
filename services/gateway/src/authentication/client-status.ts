import type { Pool } from '@countersign/runtime/database';
import { type Changed, notedUpdate } from './announcement-rows.js';
import type { Parts } from './authentication.js';
import { unknownClient } from './credential-record.js';

/** Among the credentials of a Client, from newest to oldest. */
interface Place {
  id: string;
  created_at: Date | 'infinity';
}

/** So few that a statement ends in time, however many credentials a Client has. */
const raisedAtOnce = 500;
/** More, since where PostgreSQL has no statistics, each read sorts all credentials of a Client. */
const readAtOnce = 10_000;

/**
 * Every credential of a suspended Client stops at once, and works again when it is active. Holds
 * from the moment this resolves; where it rejects, the status holds wherever the database is asked,
 * and repeating the call completes it.
 *
 * The status is committed first: a version that is raised after it is only ever read together with
 * it. Credentials that are issued later need no new version, since no replica has read them before.
 */
export async function setClientStatus(
  parts: Parts,
  clientId: string,
  status: 'ACTIVE' | 'SUSPENDED',
): Promise<void> {
  const { pool } = parts;
  const { announcements } = parts.authentication;
  const now = new Date(parts.clock());
  const { rowCount } = await pool.query(
    'UPDATE client SET status = $2, updated_at = $3 WHERE id = $1',
    [clientId, status, now],
  );
  if (rowCount === 0) throw unknownClient();
  const untold: Changed[] = [];
  for await (const ids of batchesOf(pool, clientId)) {
    const raised = await raiseVersions(pool, ids, now);
    // Once Redis was away the rest is told together, in place of one wait for each batch.
    untold.push(...(untold.length === 0 ? await announcements.tell(raised) : raised));
  }
  await announcements.announce(untold);
}

/** The ids of all credentials that there are now. */
async function* batchesOf(pool: Pool, clientId: string): AsyncGenerator<string[]> {
  let place: Place | undefined = { id: '', created_at: 'infinity' };
  while (place) {
    const { rows }: { rows: Place[] } = await pool.query<Place>(
      `SELECT id, created_at FROM credential
       WHERE client_id = $1 AND (created_at, id) < ($2::timestamptz, $3)
       ORDER BY created_at DESC, id DESC LIMIT $4`,
      [clientId, place.created_at, place.id, readAtOnce],
    );
    for (let from = 0; from < rows.length; from += raisedAtOnce) {
      yield rows.slice(from, from + raisedAtOnce).map(({ id }) => id);
    }
    place = rows.length < readAtOnce ? undefined : rows.at(-1);
  }
}

/** Locked in one order by all who do this at the same time. */
async function raiseVersions(pool: Pool, ids: string[], now: Date): Promise<Changed[]> {
  const { rows } = await pool.query<Changed>(
    notedUpdate(
      `UPDATE credential c SET version = version + 1, updated_at = $2
       FROM (SELECT id FROM credential WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE) chosen
       WHERE c.id = chosen.id`,
      'c.id, c.environment, c.version',
    ),
    [ids, now],
  );
  return rows;
}
