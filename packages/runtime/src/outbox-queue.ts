import type { BusEventType } from '@countersign/kernel/event';
import type { PoolClient } from './database.js';

/** One event, or several that were made together, which the bus has not acknowledged. */
export interface OutboxRow {
  seq: string;
  /** Of one of its events: no other row has it. */
  event_id: string;
  type: BusEventType;
  /** Whole BusEvents as JSON texts, parted by commas. */
  payload: string;
  /** It is published so long after it was made that the difference has to be remembered. */
  late: boolean;
}

/** An entry of the queue; without an event where a row of the outbox was deleted that waited. */
export interface Waiting extends Omit<OutboxRow, 'event_id'> {
  event_id: string | null;
}

/** A number is drawn at most so long before its row can be seen: no statement runs longer. */
const latestCommitMs = 2_000;
/** How often the whole queue is looked through for what was committed even later. */
const wholeLookEveryMs = 5_000;

/**
 * The queue is short, and a plan that was made while it was empty would read all of it when it is
 * long. In the same message as BEGIN it costs nothing.
 */
export const beginRelay = 'BEGIN; SET LOCAL enable_seqscan = off';

/**
 * Rows are locked, not counted past: the order of a sequence is not the order of commits, so
 * "greater than the last" loses rows. Only the small rows are locked, those of the events are not
 * touched. Named, as to plan it costs as much as to run it.
 */
const takeSql = {
  name: 'take-unpublished',
  text: `
    SELECT u.seq, o.event_id, o.type, o.payload, o.created_at < now() - interval '1 minute' AS late
    FROM (
      SELECT seq FROM unpublished WHERE seq >= $2 ORDER BY seq LIMIT $1 FOR UPDATE SKIP LOCKED
    ) u
    LEFT JOIN LATERAL (SELECT * FROM outbox WHERE seq = u.seq LIMIT 1) o ON true
    ORDER BY u.seq`,
};

const strikeSql = {
  name: 'strike-published',
  text: 'DELETE FROM unpublished WHERE seq = ANY($1::bigint[])',
};

/**
 * An event counts as published when it was made, which spares it a second version of its row. Where
 * that is too far from the truth (the bus was away, or lost its store) the truth is written down.
 */
const markLateSql = 'UPDATE outbox SET published_at = now() WHERE seq = ANY($1::bigint[])';

/** Locks the first that wait, up to the end of the transaction; passes over what others have. */
export async function take(
  client: PoolClient,
  { most, from }: { most: number; from: string },
): Promise<Waiting[]> {
  const { rows } = await client.query<Waiting>({ ...takeSql, values: [most, from] });
  return rows;
}

/** They are published: nobody takes them again. */
export async function strike(client: PoolClient, rows: readonly Waiting[]): Promise<void> {
  await client.query({ ...strikeSql, values: [rows.map(({ seq }) => seq)] });
  const late = rows.filter((row) => row.late);
  if (late.length > 0) await client.query(markLateSql, [late.map(({ seq }) => seq)]);
}

/**
 * Where the unpublished begin. The index keeps entries of what was struck out for a while, and a
 * look that began at its first would step over all of them. So a look begins where those of the
 * last seconds began, and now and then at the very first again.
 */
export class Front {
  #seen: Array<{ seq: string; at: number }> = [];
  #wholeAt = 0;

  from(): string {
    const now = performance.now();
    if (now >= this.#wholeAt) {
      this.#wholeAt = now + wholeLookEveryMs;
      return '0';
    }
    // The newest of those that are old enough: what it saw first was published since.
    while ((this.#seen[1]?.at ?? now) < now - latestCommitMs) this.#seen.shift();
    return this.#seen[0]?.seq ?? '0';
  }

  saw(seq: string): void {
    // Rows before the front: some were committed late, or are published again. More may follow.
    if (BigInt(seq) < BigInt(this.#seen[0]?.seq ?? seq)) this.#seen = [];
    this.#seen.push({ seq, at: performance.now() });
  }
}
