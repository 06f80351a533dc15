import type { ClientBase, Pool } from 'pg';

export interface Timeouts {
  statementTimeoutMs: number;
  lockTimeoutMs: number;
  idleInTransactionTimeoutMs: number;
}

/**
 * What the statements rely on. A server, a database or a role may be set up differently: with
 * `repeatable read`, a commit that waited for a fence would not see it.
 */
const assumptions = {
  search_path: 'public',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  // The pool closes idle connections itself, when no statement can be on its way to them.
  idle_session_timeout: '0',
};

/** What was answered is on disk. Any other value is the operator's choice of what a standby has. */
const durable = `SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') = 'off'`;

/** Since PostgreSQL 17. A verification of the log takes hours; others are bounded by statement. */
const unbounded = `SELECT set_config('transaction_timeout', '0', false)
  WHERE current_setting('server_version_num')::int >= 170000`;

/**
 * Sets up a new connection, and is waited for no longer than that. As statements, because PgBouncer
 * rejects a connection with a parameter that it does not know.
 */
export async function openSession(
  client: ClientBase,
  timeouts: Timeouts,
  deadlineMs: number,
): Promise<void> {
  const settings = {
    ...assumptions,
    statement_timeout: timeouts.statementTimeoutMs,
    lock_timeout: timeouts.lockTimeoutMs,
    idle_in_transaction_session_timeout: timeouts.idleInTransactionTimeoutMs,
  };
  const sets = Object.entries(settings).map(([name, value]) => `SET ${name} = '${value}'`);
  const query = { text: [...sets, durable, unbounded].join('; '), query_timeout: deadlineMs };
  await client.query(query);
}

/** Thrown at start-up if a pooler shares one session of the server among its clients. */
export class SharedSessionError extends Error {
  constructor() {
    super(
      'the pooler in front of the database gives each transaction another session, so that ' +
        'prepared statements and settings of a session are lost or reach others: configure it ' +
        'with pool_mode = session, or connect to PostgreSQL directly',
    );
    this.name = 'SharedSessionError';
  }
}

const sessionSql = `
  SELECT pid || ' ' || backend_start AS session FROM pg_stat_activity WHERE pid = pg_backend_pid()`;

/**
 * Two connections that are open at once have a session each, unless a pooler works by transaction.
 * On a busy pooler the second may be served by another session by chance.
 */
const comparisons = 3;

export async function sharesSessions(pool: Pool): Promise<boolean> {
  if (pool.options.max < 2) return false;
  const first = await pool.connect();
  try {
    const second = await pool.connect();
    try {
      for (let count = 0; count < comparisons; count += 1) {
        const one = await first.query(sessionSql);
        const other = await second.query(sessionSql);
        if (one.rows[0].session === other.rows[0].session) return true;
      }
      return false;
    } finally {
      // A server with few connections may need it for another pool.
      second.release(true);
    }
  } finally {
    first.release();
  }
}
