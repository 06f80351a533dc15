-- W3C Trace Context of what caused a delivery, so that each attempt, also one after a restart, is
-- part of the same trace. Null where nothing is traced; the release before does not write it.
ALTER TABLE "delivery" ADD COLUMN "trace" JSONB;
