-- What is known again is deleted by age. PostgreSQL would wait until a fifth of the table is
-- dead, which of a hundred million rows is weeks of work at once: little and often instead.
ALTER TABLE inbox SET (autovacuum_vacuum_scale_factor = 0.01);
