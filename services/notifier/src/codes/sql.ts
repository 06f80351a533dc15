/** SQL of one-time codes. As for deliveries, all times are taken from the database's clock. */

export const addChallengeSql = `
INSERT INTO one_time_code
  (authorization_id, client_id, principal_id, amount, currency, expires_at, next_attempt_at)
VALUES ($1, $2, $3, $4, $5, $6::timestamptz, now())
ON CONFLICT (authorization_id) DO NOTHING`;

/**
 * Claims due codes. $1: maximum number; $2: lease token; $3: lease duration in ms.
 *
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

/** Milliseconds until the next code is due, null if none is waiting. Reads one index entry. */
export const nextCodeSql = `
SELECT ceil(extract(epoch FROM min(next_attempt_at) - now()) * 1000)::float8 AS ms
FROM one_time_code WHERE status = 'PENDING' AND next_attempt_at > now()`;

const leased = 'WHERE authorization_id = $1 AND lease = $2';

/**
 * Stores the hash before sending, so that a code that arrives is always known. $3: the channel;
 * $4: the hash.
 */
export const armCodeSql = `
UPDATE one_time_code SET channel = $3, code_hash = $4 ${leased} AND expires_at > now()`;

/** $3: the status. */
export const finishCodeSql = `
UPDATE one_time_code SET status = $3, next_attempt_at = NULL, lease = NULL ${leased}`;

/** $3: milliseconds until the next attempt. */
export const retryCodeSql = `
UPDATE one_time_code SET lease = NULL, next_attempt_at = now() + $3::int * interval '1 millisecond'
${leased}`;

/**
 * If the event that opens the challenge has not arrived yet, inserts a row that will not be sent.
 */
export const forgetCodeSql = `
INSERT INTO one_time_code AS c
  (authorization_id, client_id, principal_id, amount, currency, expires_at, status)
VALUES ($1, $2, $3, $4, $5, now(), 'FAILED')
ON CONFLICT (authorization_id) DO UPDATE
SET status = 'FAILED', next_attempt_at = NULL, lease = NULL WHERE c.status = 'PENDING'`;

const owned = 'WHERE authorization_id = $1 AND client_id = $2 AND principal_id = $3';
const standing = 'status, channel, code_hash, tries, expires_at <= now() AS expired';

export const readCodeSql = `SELECT ${standing} FROM one_time_code ${owned}`;

/** Serializes guesses at one code, so that each sees the number of attempts before it. */
export const lockCodeSql = `${readCodeSql} FOR UPDATE`;

export const countTrySql = 'UPDATE one_time_code SET tries = tries + 1 WHERE authorization_id = $1';

/**
 * Counts a code for a Client, unless its limit is reached for the hour that began with its first
 * code; then no row is returned. $1: the Client; $2: the limit.
 */
export const takeForClientSql = `
INSERT INTO code_client AS c (client_id, since, sent) VALUES ($1, now(), 1)
ON CONFLICT (client_id) DO UPDATE
SET since = CASE WHEN c.since > now() - interval '1 hour' THEN c.since ELSE now() END,
  sent = CASE WHEN c.since > now() - interval '1 hour' THEN c.sent + 1 ELSE 1 END
WHERE c.since <= now() - interval '1 hour' OR c.sent < $2::int
RETURNING since AS value`;

/**
 * The same for an address, over a sliding window. $1: its keyed hash; $2: limit per ten minutes;
 * $3: limit per day, which is also the maximum length of the list. Concurrent statements wait for
 * the row lock and see the updated row.
 */
export const takeForAddressSql = `
INSERT INTO code_address AS a (address, sent_at, last_at)
VALUES ($1, ARRAY[now()::timestamptz(3)], now())
ON CONFLICT (address) DO UPDATE
SET last_at = now(), sent_at = ARRAY(
  SELECT s FROM unnest(a.sent_at) s WHERE s > now() - interval '1 day' ORDER BY s
) || now()::timestamptz(3)
WHERE (
  SELECT count(*) FILTER (WHERE s > now() - interval '10 minutes') < $2::int
    AND count(*) FILTER (WHERE s > now() - interval '1 day') < $3::int
  FROM unnest(a.sent_at) s)
RETURNING sent_at[cardinality(sent_at)] AS value`;

export const giveClientBackSql = `
UPDATE code_client SET sent = sent - 1 WHERE client_id = $1 AND since = $2`;

/** Removes only one entry of that time, since two may have the same millisecond. */
export const giveAddressBackSql = `
UPDATE code_address SET sent_at =
  sent_at[:array_position(sent_at, $2::timestamptz) - 1] ||
  sent_at[array_position(sent_at, $2::timestamptz) + 1:]
WHERE address = $1 AND $2::timestamptz = ANY (sent_at)`;
