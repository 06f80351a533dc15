/**
 * $1 agent, $2 time, $3 ordinal, $4 limit. Of the agent's newest active mandates with lower
 * ordinals, revokes those that are valid at that time or later, and returns all of them; those
 * that were revoked have a version. Expired ones remain, but count: an agent with a mandate per
 * purchase accumulates thousands, and the ordinal keeps the next batch from reading them again.
 */
export const revokeAgentMandates = `
  WITH newest AS (
    SELECT id, ordinal, valid_until FROM mandates
    WHERE agent_id = $1 AND status = 'ACTIVE' AND ordinal < $3::int
    ORDER BY ordinal DESC LIMIT $4::int FOR NO KEY UPDATE
  ), revoked AS (
    UPDATE mandates SET status = 'REVOKED', version = version + 1, revoked_at = $2::timestamptz
    WHERE id = ANY (ARRAY(SELECT id FROM newest WHERE valid_until > $2::timestamptz))
    RETURNING id, version
  )
  SELECT id, ordinal, version FROM newest LEFT JOIN revoked USING (id) ORDER BY ordinal DESC`;

/** $1 agent, $2 ordinal, $3 request, $4 time. */
export const putPendingRevocation = `
  INSERT INTO pending_revocations (agent_id, below, request_id, revoked_at)
  VALUES ($1, $2::int, $3, $4::timestamptz)`;

/** Any of them, so that one whose mandates cannot be revoked does not hold up the others. */
export const takePendingRevocation = `
  SELECT p.agent_id AS "agentId", p.below, p.request_id AS "requestId",
    p.revoked_at AS "revokedAt", a.client_id AS "clientId", a.principal_id AS "principalId"
  FROM pending_revocations p JOIN agents a ON a.id = p.agent_id
  ORDER BY random() LIMIT 1 FOR UPDATE OF p SKIP LOCKED`;

/** $1 agent, $2 ordinal. */
export const advancePendingRevocation =
  'UPDATE pending_revocations SET below = $2::int WHERE agent_id = $1';

/** $1 agent. */
export const endPendingRevocation = 'DELETE FROM pending_revocations WHERE agent_id = $1';

/** $1 now. Deletes a bounded number of rows and skips those locked by another call. */
export const purgeUsedProofs = `
  DELETE FROM registration_proof_jti WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM registration_proof_jti WHERE expires_at < $1::timestamptz
    ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED))`;
