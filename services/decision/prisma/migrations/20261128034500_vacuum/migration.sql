-- What is published, or known again, is deleted by age, and of an agent all but its latest traces.
-- PostgreSQL would wait until a fifth of the table is dead, which of a hundred million rows is
-- weeks of work at once: little and often instead.
ALTER TABLE agent_trace SET (autovacuum_vacuum_scale_factor = 0.01);
ALTER TABLE inbox SET (autovacuum_vacuum_scale_factor = 0.01);
ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0.01);
