/**
 * The record that every baseline writes: the ledger's columns and indexes, except for features that
 * a baseline lacks (scores, hashes of rules, a crypto rail).
 */
export const recordTable = `
CREATE TABLE authorization_record (
  id text COLLATE "C" PRIMARY KEY,
  client_id text NOT NULL,
  principal_id text COLLATE "C" NOT NULL,
  agent_id text COLLATE "C",
  mandate_id text COLLATE "C",
  transaction_id text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C",
  body_hash text NOT NULL,
  decision text NOT NULL,
  reason_codes text[],
  amount numeric(38, 18) NOT NULL,
  currency text NOT NULL,
  rail text NOT NULL,
  mcc text,
  country text,
  merchant_id text,
  merchant_name text,
  client_reference text COLLATE "C",
  counted_day text,
  body text NOT NULL,
  answer text NOT NULL,
  created_at timestamptz(3) NOT NULL
);
ALTER TABLE authorization_record SET (toast_tuple_target = 8160);
CREATE UNIQUE INDEX ON authorization_record (principal_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX ON authorization_record (principal_id, agent_id, created_at DESC, id DESC);
CREATE INDEX ON authorization_record (transaction_id);
CREATE INDEX ON authorization_record (principal_id, client_reference, created_at DESC)
  WHERE client_reference IS NOT NULL;
`;

export const recordColumns = [
  'id',
  'client_id',
  'principal_id',
  'agent_id',
  'mandate_id',
  'transaction_id',
  'idempotency_key',
  'body_hash',
  'decision',
  'reason_codes',
  'amount',
  'currency',
  'rail',
  'mcc',
  'country',
  'merchant_id',
  'merchant_name',
  'client_reference',
  'counted_day',
  'body',
  'answer',
  'created_at',
] as const;
