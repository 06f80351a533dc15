import type { Logger } from '../log.js';
import { Loop } from '../loop.js';
import { repeatableDays } from '../retention.js';
import type { RelayParts } from './relay-batch.js';

export interface RecoveryOptions extends RelayParts {
  log: Logger;
  /** How often to check whether the bus has lost its store; milliseconds. */
  askBusEveryMs?: number;
}

const defaultAskBusEveryMs = 5_000;
/**
 * Maximum clock difference between bus and database. Events published twice because of it do no
 * harm, since consumers deduplicate.
 */
const clockMarginMs = 60_000;
const rowsAtOnce = 5_000;
const maxPages = 100_000;

/**
 * Puts the rows of a page of the outbox by primary key ($1 after, $2 rows) back into the queue if
 * they were published before $3. A lower bound of that time is known: the relay stores it only for
 * late rows. Rows already in the queue may be locked by another replica and are left alone.
 */
const publishAgainSql = `
  WITH page AS MATERIALIZED (
    SELECT seq, created_at, published_at FROM outbox WHERE seq > $1 ORDER BY seq LIMIT $2
  ), again AS (
    INSERT INTO unpublished
    SELECT seq FROM page
    WHERE coalesce(published_at, created_at) < $3
      AND created_at >= now() - interval '${repeatableDays} days'
    ORDER BY seq ON CONFLICT DO NOTHING RETURNING seq
  )
  SELECT max(seq)::text AS last, (SELECT count(*)::int FROM again) AS again,
    bool_or(created_at >= $3) AS "isRecent"
  FROM page`;

/** Checks periodically, beside the relay, so that new events do not wait for it. */
export function startRecovery(options: RecoveryOptions): { stop(): Promise<void> } {
  const { environment, bus, log, askBusEveryMs = defaultAskBusEveryMs } = options;
  const recovery = new OutboxRecovery(options);
  const loop = new Loop({
    turn: async (stopping) => {
      if (!bus.connected()) return null;
      await recovery.check(stopping);
      return askBusEveryMs;
    },
    failing: {
      ...{ log, facts: { environment } },
      failed: 'it is unknown whether the bus has lost its store; checking again',
      over: 'it is known again whether the bus has lost its store',
    },
    retryMs: askBusEveryMs,
  });
  void bus.opened().then(() => loop.wake());
  return { stop: () => loop.stop() };
}

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

  /**
   * Returns how many rows were put back; none if the stream is the same as at the last check. After
   * an abort it stops at the next page, and another process, or the next start, does the rest.
   */
  async check(signal: AbortSignal): Promise<number> {
    const { environment, bus, log } = this.#options;
    const keptSince = await bus.keptSince(environment);
    if (keptSince === this.#doneFor) return 0;
    const again = await this.#publishAgain(new Date(keptSince + clockMarginMs), signal);
    if (!signal.aborted) this.#doneFor = keptSince;
    if (again > 0)
      log.warn({ environment, again }, 'the bus has lost its store; republishing events');
    return again;
  }

  async #publishAgain(before: Date, signal: AbortSignal): Promise<number> {
    const { pool } = this.#options;
    let again = 0;
    let after = '0';
    for (let page = 0; page < maxPages && !signal.aborted; page += 1) {
      const { rows } = await pool.query<Page>(publishAgainSql, [after, rowsAtOnce, before]);
      const { last, again: more, isRecent } = rows[0] ?? nothing;
      again += more;
      // Rows are published in any order, and meanwhile, but numbered in the order in which they
      // were inserted: what follows one that was created after the stream was so as well.
      if (last === null || isRecent) break;
      after = last;
    }
    return again;
  }
}

interface Page {
  last: string | null;
  again: number;
  isRecent: boolean | null;
}

const nothing: Page = { last: null, again: 0, isRecent: null };
