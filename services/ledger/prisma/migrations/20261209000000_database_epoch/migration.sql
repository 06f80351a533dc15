-- A database that was restored, or that is a standby's now, may have lost fences, and a proposal made
-- from what they had fenced off would be recorded. So a proposal names the epoch of the database that
-- its facts were read under. The release before names none, and is not asked for one.

-- Another value after every restart of the server, as for a restore of its files, and if the database
-- or its fences were created anew, as by a logical restore. A standby is promoted without a restart,
-- and may have been asked before, while fences were still raised on the primary: so it has another
-- epoch than what it becomes.
CREATE FUNCTION database_epoch() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT left(md5(concat_ws(' ',
    extract(epoch FROM pg_postmaster_start_time()),
    pg_is_in_recovery(),
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    pg_relation_filenode('fence')
  )), 16)
$$;

-- True, or an exception: used in the parameters of a function, which is then not called.
CREATE FUNCTION assert_epoch(expected text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF expected IS DISTINCT FROM database_epoch() THEN
    RAISE EXCEPTION 'the database is not the one of epoch %', expected USING ERRCODE = 'CS001';
  END IF;
  RETURN true;
END $$;
