-- A third access: it requests payments under the mandates that somebody else has granted.
ALTER TABLE "credential"
  DROP CONSTRAINT "credential_access_check",
  ADD CONSTRAINT "credential_access_check" CHECK ("access" IN ('read', 'spend', 'full'));
