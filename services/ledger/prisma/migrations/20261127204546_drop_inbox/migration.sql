-- The ledger consumes no events.
DROP TABLE inbox;
