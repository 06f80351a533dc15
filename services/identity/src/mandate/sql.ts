import { listFields, wireName } from './terms.js';

/** Must match MandateColumns. */
export const mandateColumns = `
      ordinal, id, agent_id AS "agentId", principal_id AS "principalId",
      client_id AS "clientId", program_id AS "programId", status, rails, currency,
      trim_scale(max_per_transaction)::text AS "maxPerTransaction",
      trim_scale(max_daily)::text AS "maxDaily", trim_scale(max_monthly)::text AS "maxMonthly",
      max_daily_count AS "maxDailyCount", max_monthly_count AS "maxMonthlyCount",
      ${listFields.map((field) => `nullif(${wireName(field)}, '{}') AS "${field}"`).join(', ')},
      trim_scale(crypto_max_transfer)::text AS "cryptoMaxTransfer",
      ${milliseconds('valid_from')} AS "validFrom", ${milliseconds('valid_until')} AS "validUntil",
      mandate_hash AS "mandateHash", version, ${milliseconds('created_at')} AS "createdAt"`;

/** An integer, since the columns have millisecond precision. */
export function milliseconds(column: string): string {
  return `round(date_part('epoch', ${column}) * 1000)`;
}

const termColumns = 'id, ordinal, rails, valid_from, valid_until, created_at';

/**
 * $1 agent, $2 and $3 times, $4 and $5 limits. Of its mandates that end after the first time and
 * have begun by the second, with what determines when they apply, newest first: those among the
 * newest $4, and of the older ones the $5 that end last. So what is read is bounded, however many
 * have expired. Many that begin later are read, but take no place of one that is in force. The sum
 * keeps the planner from the index by which it would read all of them.
 */
export const candidateMandates = {
  name: 'candidate_mandates',
  text: `
  WITH newest AS MATERIALIZED (
    SELECT ${termColumns} FROM mandates
    WHERE agent_id = $1 AND status = 'ACTIVE'
    ORDER BY ordinal DESC LIMIT $4::int
  ), lasting AS MATERIALIZED (
    SELECT ${termColumns} FROM mandates
    WHERE agent_id = $1 AND status = 'ACTIVE'
      AND valid_until > $2::timestamptz AND valid_from <= $3::timestamptz
      AND ordinal + 0 < (SELECT min(ordinal) FROM newest)
      AND (SELECT count(*) FROM newest) = $4::int
    ORDER BY valid_until DESC LIMIT $5
  )
  SELECT id, rails, ${milliseconds('valid_from')} AS "validFrom",
    ${milliseconds('valid_until')} AS "validUntil", ${milliseconds('created_at')} AS "createdAt"
  FROM (TABLE newest UNION ALL TABLE lasting) mandate
  WHERE valid_until > $2::timestamptz AND valid_from <= $3::timestamptz
  ORDER BY ordinal DESC`,
};

/**
 * $1 agent, $2 time, $3 ordinal, $4 limit. Of its mandates before the ordinal, the newest that have
 * not expired. Where many of the newest have, the older ones are found among those that have not
 * expired, however many others there are. The sum keeps the planner from reading all of these.
 */
export const unexpiredOrdinals = {
  name: 'unexpired_ordinals',
  text: `
  WITH newest AS MATERIALIZED (
    SELECT ordinal, valid_until FROM mandates
    WHERE agent_id = $1 AND status = 'ACTIVE' AND ordinal < $3::int
    ORDER BY ordinal DESC LIMIT 2 * $4::int
  ), older AS MATERIALIZED (
    SELECT ordinal, valid_until FROM mandates
    WHERE agent_id = $1 AND status = 'ACTIVE' AND valid_until > $2::timestamptz
      AND ordinal + 0 < (SELECT min(ordinal) FROM newest)
      AND (SELECT count(*) FROM newest) = 2 * $4::int
      AND (SELECT count(*) FROM newest WHERE valid_until > $2::timestamptz) < $4::int
  )
  SELECT ordinal FROM (TABLE newest UNION ALL TABLE older) mandate
  WHERE valid_until > $2::timestamptz
  ORDER BY ordinal DESC LIMIT $4::int`,
};

/** $1 agent, $2 rails, $3 how many to look at. The newest mandate of each, applicable or not. */
export const newestOfRails = {
  name: 'newest_of_rails',
  text: `
  SELECT m.id
  FROM unnest($2::text[]) rail
  CROSS JOIN LATERAL (
    SELECT id FROM (
      SELECT id, rails, ordinal FROM mandates
      WHERE agent_id = $1 AND status = 'ACTIVE'
      ORDER BY ordinal DESC LIMIT $3::int
    ) newest
    WHERE rail = ANY(rails) ORDER BY ordinal DESC LIMIT 1
  ) m`,
};

/** $1 agent, $2 ids. */
export const mandatesByIds = {
  name: 'mandates_by_ids',
  text: `
  SELECT ${mandateColumns}
  FROM mandates WHERE id = ANY($2) AND agent_id = $1 AND status = 'ACTIVE' ORDER BY ordinal DESC`,
};
