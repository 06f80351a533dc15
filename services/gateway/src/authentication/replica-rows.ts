import type { Pool } from '@countersign/runtime/database';

/**
 * Draws a number that is above all that were drawn before. What was stored before is in whatever is
 * read after it, which is why this is a statement of its own.
 */
export async function drawTurn(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ turn: string }>(
    `SELECT nextval('gateway_replica_turn_seq')::text AS turn`,
  );
  return rows[0]?.turn ?? '0';
}

/** Puts a gateway on the list of those that others wait for; what it knows of is its `turn`. */
export async function enlist(pool: Pool, instance: string, turn: string): Promise<void> {
  await pool.query(
    `INSERT INTO gateway_replica (instance, turn, seen_at) VALUES ($1, $2, now())
     ON CONFLICT (instance) DO UPDATE SET turn = excluded.turn, seen_at = excluded.seen_at`,
    [instance, turn],
  );
}

/**
 * Says that this gateway knows of all that was stored before it drew the number. False where it is
 * not on the list any more.
 */
export async function recordTurn(pool: Pool, instance: string, turn: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'UPDATE gateway_replica SET turn = $2, seen_at = now() WHERE instance = $1',
    [instance, turn],
  );
  return rowCount === 1;
}

/** True when every gateway on the list, `instance` among them, knows what `turn` stands for. */
export async function allKnow(pool: Pool, instance: string, turn: string): Promise<boolean> {
  const { rows } = await pool.query<{ know: boolean }>(
    `SELECT count(*) FILTER (WHERE instance = $1) = 1 AND bool_and(turn > $2) AS know
     FROM gateway_replica`,
    [instance, turn],
  );
  return rows[0]?.know === true;
}

/** Takes those off the list that have not been seen for so long. */
export async function forgetSilent(pool: Pool, forMs: number): Promise<void> {
  await pool.query(
    `DELETE FROM gateway_replica WHERE seen_at < now() - $1::int * interval '1 millisecond'`,
    [forMs],
  );
}

export async function leave(pool: Pool, instance: string): Promise<void> {
  await pool.query('DELETE FROM gateway_replica WHERE instance = $1', [instance]);
}
