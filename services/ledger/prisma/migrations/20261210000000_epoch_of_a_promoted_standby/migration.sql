-- A standby is promoted without a restart. If the ledger was led to it before, by an address that
-- moved too early, its epoch was known to decision services already, while fences were still raised
-- on the primary: what was cached under it would count again after the promotion. So a standby has
-- another epoch than what it becomes.
CREATE OR REPLACE FUNCTION database_epoch() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT left(md5(concat_ws(' ',
    extract(epoch FROM pg_postmaster_start_time()),
    pg_is_in_recovery(),
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    pg_relation_filenode('fence')
  )), 16)
$$;
