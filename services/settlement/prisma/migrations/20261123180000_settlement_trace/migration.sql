-- W3C Trace Context of the report, so that what is found out later is part of the same trace. Null
-- where nothing is traced; the release before does not write it.
ALTER TABLE "settlement" ADD COLUMN "trace" JSONB;
