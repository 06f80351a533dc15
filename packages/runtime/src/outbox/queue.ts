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

/** A sequence number is drawn at most this long before its row becomes visible. */
const latestCommitMs = 2_000;
/** How often the whole queue is read, for rows that became visible even later. */
const wholeLookEveryMs = 5_000;

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

/**
 * The sequence number to read the queue from, or its part from `start` on. The index keeps dead
 * entries of removed rows for a while, and a read from its very start would step over all of them.
 * So reads begin where those of the last seconds began, and every few seconds at the very start.
 */
export class Front {
  readonly #start: string;
  readonly #now: () => number;
  #seen: Array<{ seq: string; at: number }> = [];
  #wholeAt = 0;

  /** `now` is monotonic, in milliseconds. */
  constructor(start = '0', now = () => performance.now()) {
    this.#start = start;
    this.#now = now;
  }

  from(): string {
    const now = this.#now();
    if (now >= this.#wholeAt) {
      this.#wholeAt = now + wholeLookEveryMs;
      return this.#start;
    }
    // The newest read that is old enough: everything before its first row is published by now.
    while ((this.#seen[1]?.at ?? now) < now - latestCommitMs) this.#seen.shift();
    return this.#seen[0]?.seq ?? this.#start;
  }

  saw(seq: string): void {
    // A row before the front was committed late or is published again, and more may follow.
    if (BigInt(seq) < BigInt(this.#seen[0]?.seq ?? seq)) this.#seen = [];
    this.#seen.push({ seq, at: this.#now() });
  }
}
