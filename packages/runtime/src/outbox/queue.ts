import type { BusTopic } from '@countersign/kernel/event';
import type { PoolClient } from '../database.js';

/** One event, or several that were created together, not yet acknowledged by the bus. */
export interface OutboxRow {
  seq: string;
  /** The id of one of its events, which no other row contains. */
  event_id: string;
  topic: BusTopic;
  /** Complete BusEvents as JSON texts, separated by commas. */
  payload: string;
  /** Published so long after it was created that the time of publishing has to be stored. */
  late: boolean;
}

/** An entry of the queue; `event_id` is null where its row of the outbox has been deleted. */
export interface Waiting extends Omit<OutboxRow, 'event_id'> {
  event_id: string | null;
}

/**
 * A plan made while the queue was empty would scan or sort all of it when it is long, so only index
 * scans are on. Sent in the same message as BEGIN, this costs nothing.
 */
export const beginRelay =
  'BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off';

/**
 * Rows are locked rather than read from a remembered position on: sequence numbers are not in the
 * order of commits, so "greater than the last" would lose rows. Only the small rows of the queue
 * are locked, not those of the events. Prepared, because planning costs as much as running it.
 */
const takeSql = {
  name: 'take-unpublished',
  text: `
    SELECT u.seq, o.event_id, o.type AS topic, o.payload,
      o.created_at < now() - interval '1 minute' AS late
    FROM (
      SELECT seq FROM unpublished WHERE seq >= $2 AND seq < $3
      ORDER BY seq LIMIT $1 FOR UPDATE SKIP LOCKED
    ) u
    LEFT JOIN LATERAL (SELECT * FROM outbox WHERE seq = u.seq LIMIT 1) o ON true
    ORDER BY u.seq`,
};

const strikeSql = {
  name: 'strike-published',
  text: 'DELETE FROM unpublished WHERE seq = ANY($1::bigint[])',
};

/**
 * An event counts as published at its creation, which saves updating its row. Only where that is
 * too far from the truth (the bus was away, or lost its store) is the time stored.
 */
const markLateSql = 'UPDATE outbox SET published_at = now() WHERE seq = ANY($1::bigint[])';

const maxSeq = String(2n ** 63n - 1n);

/**
 * Locks the first entries of a range until the transaction ends, skipping those that another
 * replica has.
 */
export async function take(
  client: PoolClient,
  { most, from, below = maxSeq }: { most: number; from: string; below?: string | undefined },
): Promise<Waiting[]> {
  const { rows } = await client.query<Waiting>({ ...takeSql, values: [most, from, below] });
  return rows;
}

/** Removes published entries from the queue. */
export async function strike(client: PoolClient, rows: readonly Waiting[]): Promise<void> {
  await client.query({ ...strikeSql, values: [rows.map(({ seq }) => seq)] });
  const late = rows.filter((row) => row.late);
  if (late.length > 0) await client.query(markLateSql, [late.map(({ seq }) => seq)]);
}
