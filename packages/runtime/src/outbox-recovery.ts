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

/** The clocks of bus and database may be this far apart; who gets an event twice acts once. */
const clockMarginMs = 60_000;
const rowsAtOnce = 5_000;
const maxPages = 100_000;

/** Not before that time was it published last: see what the relay writes down of late ones. */
const publishedSince = 'coalesce(o.published_at, o.created_at)';

/** A page of the outbox by its primary key ($1 after, $2 rows), and what was lost of it ($3). */
const pageSql = `
  SELECT max(seq)::text AS last, count(*) FILTER (WHERE since < $3 AND NOT waits)::int AS lost,
    count(*) FILTER (WHERE since >= $3 AND NOT waits)::int AS kept
  FROM (
    SELECT o.seq, ${publishedSince} AS since,
      EXISTS (SELECT FROM unpublished u WHERE u.seq = o.seq) AS waits
    FROM outbox o WHERE o.seq > $1 ORDER BY o.seq LIMIT $2
  ) page`;

/** What waits already, another replica may have in hand. */
const againSql = `
  INSERT INTO unpublished
  SELECT o.seq FROM outbox o WHERE o.seq > $1 AND o.seq <= $2 AND ${publishedSince} < $3
  ORDER BY o.seq ON CONFLICT DO NOTHING`;

/**
 * Publishes again what a bus has lost. A row that was published before the present stream was
 * created went to a store that is gone: it is put back into the queue, and the relay does the rest.
 * This needs no state but the outbox itself, so it does not matter who created the new stream, or
 * which processes have ended meanwhile. Events that the new store has already may be among them.
 */
export class OutboxRecovery {
  readonly #options: RecoveryOptions;
  #doneFor: number | null = null;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** Returns how many rows go out again; none where the bus is the one of the last time. */
  async check(): Promise<number> {
    const { environment, bus, log } = this.#options;
    const keptSince = await bus.keptSince(environment);
    if (keptSince === this.#doneFor) return 0;
    const again = await this.#publishAgain(new Date(keptSince + clockMarginMs));
    this.#doneFor = keptSince;
    if (again > 0) log.warn({ environment, again }, 'the bus is a new one: publishing again');
    return again;
  }

  async #publishAgain(before: Date): Promise<number> {
    const { pool } = this.#options;
    let again = 0;
    let after = '0';
    for (let page = 0; page < maxPages; page += 1) {
      const { rows } = await pool.query<Page>(pageSql, [after, rowsAtOnce, before]);
      const { last, lost, kept } = rows[0] ?? nothing;
      // Rows are published in the order of their numbers but for a few: what follows came later.
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
