import type { Environment } from '@countersign/kernel/environment';
import type { Bus } from './bus.js';
import type { Pool } from './database.js';
import type { Logger } from './log.js';

export interface RecoveryOptions {
  environment: Environment;
  pool: Pool;
  bus: Bus;
  log: Logger;
}

/**
 * Maximum clock difference between bus and database. Events published twice because of it do no
 * harm, since consumers deduplicate.
 */
const clockMarginMs = 60_000;
const rowsAtOnce = 5_000;
const maxPages = 100_000;

/**
 * A lower bound of the time of the last publication: the relay stores that time only for late rows.
 */
const publishedSince = 'coalesce(o.published_at, o.created_at)';

/**
 * A page of the outbox by primary key ($1 after, $2 rows), with the number of rows lost and kept
 * ($3).
 */
const pageSql = `
  SELECT max(seq)::text AS last, count(*) FILTER (WHERE since < $3 AND NOT waits)::int AS lost,
    count(*) FILTER (WHERE since >= $3 AND NOT waits)::int AS kept
  FROM (
    SELECT o.seq, ${publishedSince} AS since,
      EXISTS (SELECT FROM unpublished u WHERE u.seq = o.seq) AS waits
    FROM outbox o WHERE o.seq > $1 ORDER BY o.seq LIMIT $2
  ) page`;

/** Rows already in the queue may be locked by another replica and are left alone. */
const againSql = `
  INSERT INTO unpublished
  SELECT o.seq FROM outbox o WHERE o.seq > $1 AND o.seq <= $2 AND ${publishedSince} < $3
  ORDER BY o.seq ON CONFLICT DO NOTHING`;

/**
 * Republishes events that the bus has lost. A row published before the present stream was created
 * went to a store that no longer exists: it is put back into the queue for the relay. This needs no
 * state but the outbox itself, so it does not matter who created the new stream or which processes
 * have ended meanwhile. Some of the events may be in the new store already.
 */
export class OutboxRecovery {
  readonly #options: RecoveryOptions;
  #doneFor: number | null = null;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** Returns how many rows were put back; none if the stream is the same as at the last check. */
  async check(): Promise<number> {
    const { environment, bus, log } = this.#options;
    const keptSince = await bus.keptSince(environment);
    if (keptSince === this.#doneFor) return 0;
    const again = await this.#publishAgain(new Date(keptSince + clockMarginMs));
    this.#doneFor = keptSince;
    if (again > 0)
      log.warn({ environment, again }, 'the bus has lost its store; republishing events');
    return again;
  }

  async #publishAgain(before: Date): Promise<number> {
    const { pool } = this.#options;
    let again = 0;
    let after = '0';
    for (let page = 0; page < maxPages; page += 1) {
      const { rows } = await pool.query<Page>(pageSql, [after, rowsAtOnce, before]);
      const { last, lost, kept } = rows[0] ?? nothing;
      // Rows are published nearly in the order of their numbers, so after a page without losses all
      // later rows were published to the new stream.
      if (last === null || (lost === 0 && kept > 0)) return again;
      if (lost > 0) again += (await pool.query(againSql, [after, last, before])).rowCount ?? 0;
      after = last;
    }
    return again;
  }
}

interface Page {
  last: string | null;
  lost: number;
  kept: number;
}

const nothing: Page = { last: null, lost: 0, kept: 0 };
