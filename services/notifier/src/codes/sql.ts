/**
 * The statements of a one-time code. As with deliveries, every time in them is the database's.
 */

export const addChallengeSql = `
INSERT INTO one_time_code
  (authorization_id, client_id, principal_id, amount, currency, expires_at, next_attempt_at)
VALUES ($1, $2, $3, $4, $5, $6::timestamptz, now())
ON CONFLICT (authorization_id) DO NOTHING`;

/**
 * Claims what is to be sent. $1: how many at most; $2: token of the lease; $3: its length in ms.
 * Plan: reads one_time_code_due_idx from its oldest entry, as many entries as it locks.
 */
export const claimCodesSql = `
UPDATE one_time_code c
SET lease = $2, attempts = c.attempts + 1,
  next_attempt_at = now() + $3::int * interval '1 millisecond'
FROM (SELECT authorization_id FROM one_time_code
      WHERE status = 'PENDING' AND next_attempt_at <= now()
      ORDER BY next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED) due
WHERE c.authorization_id = due.authorization_id
RETURNING c.authorization_id, c.client_id, c.principal_id, c.amount, c.currency, c.lease,
  c.expires_at, c.expires_at <= now() AS expired, c.attempts`;

/** Milliseconds until the next one will be due, null when none waits. Reads one index entry. */
export const nextCodeSql = `
SELECT ceil(extract(epoch FROM min(next_attempt_at) - now()) * 1000)::float8 AS ms
FROM one_time_code WHERE status = 'PENDING' AND next_attempt_at > now()`;

const leased = 'WHERE authorization_id = $1 AND lease = $2';

/** Before it is sent, so that no code arrives that is not known. $3: the channel; $4: the hash. */
export const armCodeSql = `
UPDATE one_time_code SET channel = $3, code_hash = $4 ${leased} AND expires_at > now()`;

/** $3: the status. */
export const finishCodeSql = `
UPDATE one_time_code SET status = $3, next_attempt_at = NULL, lease = NULL ${leased}`;

/** $3: milliseconds until the next attempt. */
export const retryCodeSql = `
UPDATE one_time_code SET lease = NULL, next_attempt_at = now() + $3::int * interval '1 millisecond'
${leased}`;

export const forgetCodeSql = `
UPDATE one_time_code SET status = 'FAILED', next_attempt_at = NULL, lease = NULL
WHERE authorization_id = $1 AND status = 'PENDING'`;

const owned = 'WHERE authorization_id = $1 AND client_id = $2 AND principal_id = $3';
const standing = 'status, channel, code_hash, tries, expires_at <= now() AS expired';

export const readCodeSql = `SELECT ${standing} FROM one_time_code ${owned}`;

/** The lock makes guesses at one code queue up: each sees the tries of all before it. */
export const lockCodeSql = `${readCodeSql} FOR UPDATE`;

export const countTrySql = 'UPDATE one_time_code SET tries = tries + 1 WHERE authorization_id = $1';
