-- What was not approved at first, of an agent or of all of a Principal's, newest first. Approvals,
-- which are most of the log, do not pay for it.
CREATE INDEX authorization_record_refused
  ON authorization_record (principal_id, agent_id, decision, created_at DESC, id DESC)
  WHERE decision <> 'APPROVE';
