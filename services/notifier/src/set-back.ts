import type { Sweep } from '@countersign/runtime/retention';

/** Longer than any retry or lease waits, whatever the settings. */
const longestWait = `interval '10 minutes'`;
/** Longer than an attempt in flight may take, which would otherwise be made twice. */
const grace = `interval '1 minute'`;

function bringForwardSql(table: string, id: string): string {
  return `
  UPDATE ${table}
  SET next_attempt_at = now() + CASE WHEN lease IS NULL THEN interval '0' ELSE ${grace} END
  WHERE ${id} = ANY (ARRAY(
    SELECT ${id} FROM ${table}
    WHERE status = 'PENDING' AND next_attempt_at > now() + ${longestWait}
    ORDER BY next_attempt_at DESC LIMIT $1 FOR UPDATE SKIP LOCKED))`;
}

/**
 * If the database's clock was set back, what was to be retried would wait until the former time is
 * reached again.
 */
export const bringForward: readonly Sweep[] = [
  { sql: bringForwardSql('delivery', 'id') },
  { sql: bringForwardSql('one_time_code', 'authorization_id') },
];
