/**
 * SQL of the delivery path. All times are taken from the database's clock, the one clock that all
 * replicas share.
 */

/**
 * Claims due deliveries: first for the Principals that hold the fewest slots, then for the
 * endpoints that have waited longest for their turn, and only then by age, so that an old backlog
 * does not delay others. Of one endpoint, it takes events that were tried before those that were
 * not (`untried`). Otherwise an endpoint that times out, and gets events faster than that, would
 * see nothing but first attempts: no event would fail, and it would never be disabled. See `Slots`
 * for the limits. $1 to $4: endpoints, their free slots, whether they are proven, and the sequence
 * number of their last response; any other endpoint is unproven and has one slot. $5 to $7:
 * Principals, the slots each holds, and those of its unproven endpoints. $8, $9: maximum per
 * Principal, and for its unproven endpoints. $10: maximum for unproven endpoints in total; $11:
 * maximum in total; $12: lease token; $13: lease duration in ms.
 *
 * Plan: `hooks` skips through the pending deliveries with one index probe for each webhook that has
 * any, never one for each row, and `open` drops those without free slots; `due` reads, by
 * delivery_tried_due_idx, at most one tried and one untried entry of each and, per Principal, no
 * more in addition than twice its share (the next claim follows immediately and continues);
 * `taken` reads as many as it locks. A backlog of a million for one webhook costs the others
 * nothing. Rows that another replica is claiming are skipped rather than waited for, and the due
 * time is checked again once the lock is held. `taken` is aggregated to an array instead of joined:
 * the planner's estimate of its size made it read whole tables.
 */
export const claimSql = `
WITH RECURSIVE hooks AS (
  (SELECT webhook_id FROM delivery WHERE status = 'PENDING' ORDER BY webhook_id LIMIT 1)
  UNION ALL
  SELECT (SELECT d.webhook_id FROM delivery d
          WHERE d.status = 'PENDING' AND d.webhook_id > h.webhook_id
          ORDER BY d.webhook_id LIMIT 1)
  FROM hooks h WHERE h.webhook_id IS NOT NULL
), open AS (
  SELECT w.id AS webhook_id, w.principal_id,
    least(coalesce(k.free, 1), 1 + $8::int / count(*) OVER (PARTITION BY w.principal_id)) AS free,
    coalesce(k.proven, false) AS proven, coalesce(k.last_answer, 0) AS last_answer,
    coalesce(p.held, 0) AS held, coalesce(p.unproven, 0) AS held_unproven
  FROM hooks h
  JOIN webhook w ON w.id = h.webhook_id
  LEFT JOIN unnest($1::text[], $2::int[], $3::boolean[], $4::float8[])
    AS k (id, free, proven, last_answer) ON k.id = w.id
  LEFT JOIN unnest($5::text[], $6::int[], $7::int[]) AS p (id, held, unproven)
    ON p.id = w.principal_id
  WHERE coalesce(k.free, 1) > 0 AND coalesce(p.held, 0) < $8::int
    AND (coalesce(k.proven, false) OR coalesce(p.unproven, 0) < $9::int AND $10::int > 0)
), due AS (
  SELECT o.*, d.untried, d.next_attempt_at, d.nth, row_number() OVER (
    PARTITION BY o.principal_id, o.proven
    ORDER BY d.nth, o.last_answer, d.next_attempt_at) AS nth_of_kind
  FROM open o
  CROSS JOIN LATERAL (
    SELECT s.untried, d.next_attempt_at,
      row_number() OVER (ORDER BY s.untried, d.next_attempt_at) AS nth
    FROM (VALUES (false), (true)) AS s (untried)
    CROSS JOIN LATERAL (
      SELECT d.next_attempt_at FROM delivery d
      WHERE d.webhook_id = o.webhook_id AND d.status = 'PENDING'
        AND (d.attempts_left = 5) = s.untried AND d.next_attempt_at <= now()
      ORDER BY d.next_attempt_at LIMIT o.free) d
    ORDER BY nth LIMIT o.free) d
), shared AS (
  SELECT *, held + row_number() OVER (
    PARTITION BY principal_id ORDER BY nth, last_answer, next_attempt_at) AS turn
  FROM due WHERE proven OR held_unproven + nth_of_kind <= $9::int
), ranked AS (
  SELECT *, row_number() OVER (
    PARTITION BY proven ORDER BY turn, last_answer, next_attempt_at) AS rank
  FROM shared WHERE turn <= $8::int
), ready AS (
  SELECT webhook_id, untried, count(*) AS places
  FROM (SELECT webhook_id, untried FROM ranked WHERE proven OR rank <= $10::int
        ORDER BY turn, last_answer, next_attempt_at LIMIT $11::int) first
  GROUP BY webhook_id, untried
), taken AS (
  SELECT due.id FROM ready r
  CROSS JOIN LATERAL (
    SELECT d.id FROM delivery d
    WHERE d.webhook_id = r.webhook_id AND d.status = 'PENDING'
      AND (d.attempts_left = 5) = r.untried AND d.next_attempt_at <= now()
    ORDER BY d.next_attempt_at LIMIT r.places FOR UPDATE SKIP LOCKED) due
)
UPDATE delivery d
SET lease = $12, next_attempt_at = now() + $13::int * interval '1 millisecond'
FROM webhook w
WHERE d.id = ANY (ARRAY(SELECT id FROM taken)) AND w.id = d.webhook_id
RETURNING d.id, d.webhook_id, d.event_id, d.event, d.data, d.attempt_count, d.attempts_left,
  d.lease, w.principal_id, w.url, w.active AND w.deleted_at IS NULL AS active,
  w.secret, w.secret_key_id, d.trace,
  CASE WHEN w.previous_secret_until > now() THEN w.previous_secret END AS previous_secret,
  w.previous_secret_key_id`;

/** Milliseconds until the next delivery is due, null if none is waiting. Reads one index entry. */
export const nextDueSql = `
SELECT ceil(extract(epoch FROM min(next_attempt_at) - now()) * 1000)::float8 AS ms
FROM delivery WHERE status = 'PENDING' AND next_attempt_at > now()`;

/**
 * Keeps only the latest attempts, since a delivery can be retried manually any number of times.
 */
const appendAttempt = `
  attempts = CASE WHEN jsonb_array_length(attempts) >= 25 THEN attempts - 0 ELSE attempts END
    || jsonb_build_array($3::jsonb),
  attempt_count = attempt_count + 1`;

/**
 * Stores the result of an attempt. Has no effect if the lease has passed to another replica. The
 * delivery is updated before the webhook, and the webhook is not locked before that: a lock taken
 * earlier in the statement refers to a newer version of the row than the one its UPDATE sees, and
 * concurrent statements of that kind deadlock (observed with eight).
 *
 * $1 delivery, $2 lease, $3 the attempt as JSON, $4 its status code.
 */
const leased = 'WHERE id = $1 AND lease = $2';

export const deliveredSql = `
WITH done AS (
  UPDATE delivery SET ${appendAttempt}, status = 'DELIVERED', attempts_left = 0,
    next_attempt_at = NULL, lease = NULL, finished_at = now()
  ${leased} RETURNING webhook_id)
UPDATE webhook w
SET consecutive_failures = 0, last_delivery_at = now(), last_status_code = $4::int
FROM done WHERE w.id = done.webhook_id`;

/** $5: milliseconds until the next attempt. */
export const retrySql = `
WITH done AS (
  UPDATE delivery SET ${appendAttempt}, attempts_left = attempts_left - 1, lease = NULL,
    next_attempt_at = now() + $5::int * interval '1 millisecond'
  ${leased} RETURNING webhook_id)
UPDATE webhook w SET last_status_code = coalesce($4::int, w.last_status_code)
FROM done WHERE w.id = done.webhook_id`;

/**
 * Marks the event as failed; counted once however often it is retried manually. `disabled`: by this
 * failure, not before it or by the webhook's owner. $5: the maximum.
 */
export const failedSql = `
WITH before AS (
  SELECT (NOT d.failure_counted)::int AS one, w.active
  FROM delivery d JOIN webhook w ON w.id = d.webhook_id WHERE d.id = $1
), done AS (
  UPDATE delivery SET ${appendAttempt}, status = 'FAILED', attempts_left = 0,
    next_attempt_at = NULL, lease = NULL, finished_at = now(), failure_counted = true
  ${leased} RETURNING webhook_id)
UPDATE webhook w
SET consecutive_failures = w.consecutive_failures + before.one,
  active = w.active AND w.consecutive_failures + before.one < $5::int,
  last_status_code = coalesce($4::int, w.last_status_code)
FROM done, before
WHERE w.id = done.webhook_id
RETURNING before.active AND before.one = 1 AND w.consecutive_failures = $5::int AS disabled`;

/** Returns an unsent delivery: it is due again immediately, as if it had not been claimed. */
export const releaseSql = `
UPDATE delivery SET lease = NULL, next_attempt_at = now() WHERE id = $1 AND lease = $2`;

/**
 * Returns a delivery that could not be signed: it waits the longer, the older it is, so that the
 * many of a long fault are not all tried all the time. One that is three days old waits no longer.
 * $1 delivery, $2 lease.
 */
export const postponeSql = `
UPDATE delivery SET lease = NULL, next_attempt_at = now() + least(interval '5 minutes',
  greatest(interval '10 seconds', (now() - created_at) / 8))
WHERE id = $1 AND lease = $2 AND created_at > now() - interval '3 days'`;

/**
 * Fails deliveries of a webhook that is disabled or deleted, without sending. What another replica
 * is claiming is left to it: if the webhook was enabled again, it sends that. $1 webhook, $2 lease.
 */
export const dropSql = `
UPDATE delivery SET status = 'FAILED', attempts_left = 0, next_attempt_at = NULL, lease = NULL,
  finished_at = now()
WHERE id = ANY (ARRAY(
  SELECT d.id FROM delivery d JOIN webhook w ON w.id = d.webhook_id
  WHERE d.webhook_id = $1 AND d.status = 'PENDING' AND (d.lease IS NULL OR d.lease = $2)
    AND (NOT w.active OR w.deleted_at IS NOT NULL)
  LIMIT 1000 FOR UPDATE OF d SKIP LOCKED))`;

/** $1: Principal. */
export const hooksOfPrincipalSql = `
SELECT id, event_types FROM webhook
WHERE principal_id = $1 AND active AND deleted_at IS NULL`;

export const addDeliveriesSql = `
INSERT INTO delivery
  (id, webhook_id, event_id, event, data, attempts_left, next_attempt_at, created_at, trace)
SELECT t.*, $6::int, now(), now(), $7::jsonb
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) t
ON CONFLICT (event_id, webhook_id) DO NOTHING`;

/** The current secret becomes the previous one, which continues to sign during the overlap. */
export const rotateSecretSql = `
UPDATE webhook SET previous_secret = secret, previous_secret_key_id = secret_key_id,
  previous_secret_until = now() + interval '24 hours', secret = $2, secret_key_id = $3
WHERE id = $1 AND deleted_at IS NULL`;
