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
  // A pool closes idle connections itself, when no statement can be on its way to them.
  idle_session_timeout: '0',
};

/** Since PostgreSQL 17. What verifies the log may take hours; others are bounded by statement. */
const unbounded = `SELECT set_config('transaction_timeout', '0', false)
  WHERE current_setting('server_version_num')::int >= 170000`;

/** In milliseconds; 0 is none. */
export interface SessionTimeouts {
  statementTimeoutMs: number;
  lockTimeoutMs: number;
  idleInTransactionTimeoutMs: number;
}

/**
 * What sets up a new session of PostgreSQL, whatever the server, the database and the role set. As
 * statements, because PgBouncer rejects a connection with a parameter that it does not know.
 */
export function sessionSetup(timeouts: SessionTimeouts): string {
  const settings = {
    ...assumptions,
    statement_timeout: timeouts.statementTimeoutMs,
    lock_timeout: timeouts.lockTimeoutMs,
    idle_in_transaction_session_timeout: timeouts.idleInTransactionTimeoutMs,
  };
  const sets = Object.entries(settings).map(([name, value]) => `SET ${name} = '${value}'`);
  return [...sets, unbounded].join('; ');
}

interface Connection {
  query(sql: string): Promise<{ rows: Array<{ session: string }> }>;
}

/** The start is hidden from a role that is not that of the login, as after `SET role`. */
const ownSession = `
  SELECT concat_ws(' ', pid, backend_start) AS session FROM pg_stat_activity
  WHERE pid = pg_backend_pid()`;
const comparisons = 3;

/**
 * True if a pooler works by transaction: only then can two connections that are open at once have
 * the same session. On a busy pooler the second may be served by another one by chance.
 */
export async function shareSession(one: Connection, other: Connection): Promise<boolean> {
  for (let count = 0; count < comparisons; count += 1) {
    const [first] = (await one.query(ownSession)).rows;
    const [second] = (await other.query(ownSession)).rows;
    if (first?.session === second?.session) return true;
  }
  return false;
}
