/** A table whose rows are chained, and the text that names a row of it. */
export interface ChainKind {
  kind: string;
  table: string;
  /** SQL over the table's alias `t`; together with `txid` it is indexed. */
  ref: string;
}

/**
 * Everything that is only ever appended. Within a transaction rows are chained in this order; a new
 * table goes to the end.
 */
export const chainKinds: readonly ChainKind[] = [
  { kind: 'authorization', table: 'authorization_record', ref: 't.id' },
  { kind: 'step_up_answer', table: 'step_up_answer', ref: 't.authorization_id' },
  { kind: 'reversal', table: 'reversal', ref: 't.id' },
  { kind: 'outcome', table: 'outcome', ref: "(t.id || '/' || t.revision)" },
  { kind: 'reference', table: 'reference', ref: "(t.authorization_id || '/' || t.kind)" },
  { kind: 'system_void', table: 'system_void', ref: 't.authorization_id' },
  { kind: 'first_answer', table: 'first_answer', ref: 't.authorization_id' },
];

/**
 * Rows after a place ($1 txid, $2 ref) and before the horizon ($3), at most $4: a range of the
 * index (txid, ref) of the table.
 */
export function rowsAfterSql({ table, ref }: ChainKind): string {
  return `
  SELECT t.*, ${ref} AS chain_ref FROM ${table} t
  WHERE (t.txid, ${ref}) > ($1::xid8, $2) AND t.txid < $3::xid8
  ORDER BY t.txid, ${ref} LIMIT $4`;
}

/** The rows that entries name ($1 txids, $2 refs): a probe of the same index for each. */
export function namedRowsSql({ table, ref }: ChainKind): string {
  return `
  SELECT found.* FROM unnest($1::xid8[], $2::text[]) AS named (txid, ref)
  CROSS JOIN LATERAL (
    SELECT t.*, ${ref} AS chain_ref FROM ${table} t
    WHERE t.txid = named.txid AND ${ref} = named.ref
  ) found`;
}

/** Of a transaction before the chain's last ($1), a row that is not in it ($2 kind). */
export function unchainedRowSql({ table, ref }: ChainKind): string {
  return `
  SELECT ${ref} AS ref FROM ${table} t
  WHERE t.txid < $1::xid8
    AND NOT EXISTS (SELECT FROM chain_entry e WHERE e.kind = $2 AND e.ref = ${ref})
  LIMIT 1`;
}

/** How many rows of that transaction ($1) and later ones wait to be chained ($2 kind). */
export function waitingRowsSql({ table, ref }: ChainKind): string {
  return `
  SELECT count(*)::int AS waiting FROM ${table} t
  WHERE t.txid >= $1::xid8
    AND NOT EXISTS (SELECT FROM chain_entry e WHERE e.kind = $2 AND e.ref = ${ref})`;
}
