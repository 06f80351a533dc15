-- However many replicas start or rotate at once, one key signs and one is the next.
CREATE UNIQUE INDEX "signing_key_one_active" ON "signing_key"("status") WHERE "status" = 'ACTIVE';
CREATE UNIQUE INDEX "signing_key_one_next" ON "signing_key"("status") WHERE "status" = 'NEXT';

-- What has retired cannot sign any more, and what still signs is not revoked: it is rotated first.
ALTER TABLE "signing_key" ADD CONSTRAINT "signing_key_life" CHECK (
  CASE "status"
    WHEN 'NEXT' THEN "sealed_private" IS NOT NULL AND "activated_at" IS NULL
    WHEN 'ACTIVE' THEN "sealed_private" IS NOT NULL AND "activated_at" IS NOT NULL
    WHEN 'RETIRED' THEN "sealed_private" IS NULL AND "retired_at" IS NOT NULL
    ELSE false
  END
  AND ("revoked_at" IS NULL OR "status" = 'RETIRED')
);

-- A case that is resolved says how, by whom and when; one that is open says none of it.
ALTER TABLE "fraud_case" ADD CONSTRAINT "fraud_case_resolution_check" CHECK (
  ("status" = 'OPEN' AND num_nonnulls("resolution", "resolved_by", "resolved_at") = 0) OR
  ("status" = 'RESOLVED' AND num_nulls("resolution", "resolved_by", "resolved_at") = 0)
);

-- Every event of an agent writes its row anew: with room on the page no index has to be told.
ALTER TABLE "agent_profile" SET (fillfactor = 60);
