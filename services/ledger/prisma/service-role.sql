-- Grants the privileges that the ledger's processes need if another role owns the tables and runs the
-- migrations. With them the processes can append and count, but not disable the protection of the
-- records. Run it as the owner in each of the ledger's databases, and after migrations that add tables.
GRANT USAGE ON SCHEMA public TO ledger_service;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO ledger_service;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ledger_service;
GRANT INSERT ON
  authorization_record, decision_basis, step_up_answer, reversal, outcome, reference, system_void,
  first_answer, intent_use, intent_evidence,
  chain_entry, chain_head, chain_key
TO ledger_service;
GRANT INSERT, UPDATE, DELETE ON
  mandate_usage, fence, pending_step_up, outbox, unpublished, intent_nonce, intent_subject,
  intent_usage, intent_counted, intent_recount
TO ledger_service;
