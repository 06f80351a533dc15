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

/**
 * Says that this gateway knows of all that was stored before it drew the number. Resolves to false
 * where it was not on the list, so that nobody has waited for it until now.
 */
export async function recordTurn(pool: Pool, instance: string, turn: string): Promise<boolean> {
  const { rows } = await pool.query<{ listed: boolean }>(
    `INSERT INTO gateway_replica (instance, turn, seen_at) VALUES ($1, $2, now())
     ON CONFLICT (instance) DO UPDATE SET turn = excluded.turn, seen_at = excluded.seen_at
     RETURNING xmax <> 0 AS listed`,
    [instance, turn],
  );
  return rows[0]?.listed === true;
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
