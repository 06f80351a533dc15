import {
  type SessionTimeouts,
  sessionSetup,
  shareSession,
} from '@countersign/kernel/database-session';
import type { ClientBase, Pool } from 'pg';

/** What was answered is on disk. Any other value is the operator's choice of what a standby has. */
const durable = `SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') = 'off'`;

/** Sets up a new connection, and is waited for no longer than that. */
export async function openSession(
  client: ClientBase,
  timeouts: SessionTimeouts,
  deadlineMs: number,
): Promise<void> {
  const query = { text: `${sessionSetup(timeouts)}; ${durable}`, query_timeout: deadlineMs };
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

/** False if the pool is too small to tell. */
export async function sharesSessions(pool: Pool): Promise<boolean> {
  if (pool.options.max < 2) return false;
  const first = await pool.connect();
  try {
    const second = await pool.connect();
    try {
      return await shareSession(first, second);
    } finally {
      // A server with few connections may need it for another pool.
      second.release(true);
    }
  } finally {
    first.release();
  }
}
