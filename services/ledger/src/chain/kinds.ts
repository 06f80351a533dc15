/** A table whose rows are chained. */
export interface ChainKind {
  kind: string;
  table: string;
  /** The column with a time not later than that at which the row was written. */
  time: string;
  /** SQL over the alias `t` of the table. There is an index on (txid, ref). */
  ref: string;
  /** All columns, in the order in which they are hashed; see `currentFormat`. */
  columns: readonly string[];
}

const columns = (names: string): readonly string[] => names.trim().split(/\s+/);

/**
 * The append-only tables of the log. A basis has no entry, because its record contains its hash
 * (see `bases.ts`). Within a transaction rows are chained in this order, so new tables are added at
 * the end. A new column needs a new format, since older entries are hashed without it.
 */
export const chainKinds: readonly ChainKind[] = [
  {
    kind: 'authorization',
    table: 'authorization_record',
    time: 'created_at',
    ref: 't.id',
    columns: columns(`
      id client_id principal_id agent_id mandate_id program_id transaction_id
      correlation_key idempotency_key body_hash decision reason_codes amount currency
      exponent rail mcc country merchant_id merchant_name client_reference network_rrn
      network_stan auth_code network_reference tx_hash chain_id daily_amount_limit
      monthly_amount_limit daily_count_limit monthly_count_limit counted_day
      step_up_expires_at kya_score trust_level risk_score vi_verified processing_time_ms
      mandate_hash policy_hash input_hash facts answer created_at txid basis_hash
    `),
  },
  {
    kind: 'step_up_answer',
    table: 'step_up_answer',
    time: 'answered_at',
    ref: 't.authorization_id',
    columns: columns(`
      authorization_id status answered_at answered_by reason counted_day attestation txid
    `),
  },
  {
    kind: 'reversal',
    table: 'reversal',
    time: 'created_at',
    ref: 't.id',
    columns: columns(`
      id authorization_id amount count_released partial reason requested_by created_at txid
    `),
  },
  {
    kind: 'outcome',
    table: 'outcome',
    time: 'recorded_at',
    ref: "(t.id || '/' || t.revision)",
    columns: columns(`
      id revision authorization_id principal_id outcome_type reported_at reported_by
      evidence notes external_reference_id settled_amount settled_currency settled_at
      created_at recorded_at txid
    `),
  },
  {
    kind: 'reference',
    table: 'reference',
    time: 'created_at',
    ref: "(t.authorization_id || '/' || t.kind)",
    columns: columns(`
      authorization_id kind principal_id value created_at txid
    `),
  },
  {
    kind: 'system_void',
    table: 'system_void',
    time: 'created_at',
    ref: 't.authorization_id',
    columns: columns(`
      authorization_id answer facts answered_at created_at txid
    `),
  },
  {
    kind: 'first_answer',
    table: 'first_answer',
    time: 'answered_at',
    ref: 't.authorization_id',
    columns: columns(`
      authorization_id principal_id idempotency_key answered_at txid
    `),
  },
];

/** The hashed bytes: number, types and values of the columns, whatever the session settings. */
function binaryRow(columns: readonly string[]): string {
  return `record_send(ROW(${columns.map((name) => `t.${name}`).join(', ')}))`;
}

/**
 * The rows after the position of their kind (txids $1 and refs $2, in the order of `chainKinds`)
 * and before the horizon ($3), at most $4 of each kind. For each a range scan of the index on
 * (txid, ref). One statement, because most kinds have no new rows.
 */
export const rowsAfterSql = chainKinds
  .map((each, index) => rowsOfKindSql(each, index + 1))
  .join(' UNION ALL ');

function rowsOfKindSql({ kind, table, ref, columns }: ChainKind, place: number): string {
  return `
  (SELECT '${kind}' AS kind, t.txid::text AS txid, ${ref} AS ref,
    encode(sha256(${binaryRow(columns)}), 'hex') AS "recordHash"
  FROM ${table} t
  WHERE (t.txid, ${ref}) > (($1::xid8[])[${place}], ($2::text[])[${place}])
    AND t.txid < $3::xid8
  ORDER BY t.txid, ${ref} LIMIT $4)`;
}

/** The rows of entries ($1 txids, $2 refs), with one probe of the same index each. */
export function namedRowsSql({ table, ref, columns, time }: ChainKind): string {
  const at = `floor(extract(epoch FROM t.${time}) * 1000)::text`;
  return `
  SELECT found.* FROM unnest($1::xid8[], $2::text[]) AS named (txid, ref)
  CROSS JOIN LATERAL (
    SELECT ${binaryRow(columns)} AS bytes, ${ref} AS ref, ${at} AS at FROM ${table} t
    WHERE t.txid = named.txid AND ${ref} = named.ref
  ) found`;
}

/**
 * Of the rows of kind $1 before a place ($2 txid, $3 ref), the last $4: one without an entry, if
 * there is any, and the place of the first. No row if there are no more. The subquery probes an
 * index for each row; a join might read all entries for every page. The entry of another row with
 * the same ref does not count.
 */
export function unchainedRowSql({ table, ref }: ChainKind): string {
  return `
  WITH page AS MATERIALIZED (
    SELECT t.txid, ${ref} AS ref FROM ${table} t WHERE (t.txid, ${ref}) < ($2::xid8, $3::text)
    ORDER BY t.txid DESC, ${ref} DESC LIMIT $4
  )
  SELECT first.txid::text AS txid, first.ref, (
    SELECT coalesce(p.ref, 'unknown') FROM page p WHERE (
      SELECT e.seq FROM chain_entry e
      WHERE e.kind = $1 AND e.ref = p.ref AND e.txid = p.txid LIMIT 1
    ) IS NULL LIMIT 1
  ) AS slipped
  FROM (SELECT txid, ref FROM page ORDER BY txid, ref LIMIT 1) first`;
}

/**
 * A row that is never chained: it has no transaction, which only a column that may be null allows,
 * or, where $1 is true, one which the server has yet to begin.
 */
export function unchainableRowSql({ table, ref }: ChainKind): string {
  return `
  SELECT ${ref} AS ref, t.txid::text AS txid FROM ${table} t
  WHERE t.txid IS NULL OR ($1 AND t.txid >= pg_snapshot_xmax(pg_current_snapshot())) LIMIT 1`;
}

/** A row of kind $1, of transaction $2 or a later one, that has the name of a chained row. */
export function twinRowSql({ table, ref }: ChainKind): string {
  return `
  SELECT ${ref} AS ref FROM ${table} t
  WHERE t.txid >= $2::xid8 AND EXISTS (
    SELECT FROM chain_entry e WHERE e.kind = $1 AND e.ref = ${ref} AND e.txid <> t.txid
  ) LIMIT 1`;
}

/** The number of rows of kind $2 without an entry, of transaction $1 and later ones. */
export function waitingRowsSql({ table, ref }: ChainKind): string {
  return `
  SELECT count(*)::int AS waiting FROM ${table} t
  WHERE t.txid >= $1::xid8 AND NOT EXISTS (
    SELECT FROM chain_entry e WHERE e.kind = $2 AND e.ref = ${ref} AND e.txid = t.txid
  )`;
}
