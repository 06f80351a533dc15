/** Only one replica extends the chain at a time; the others try again later. */
export const builderLockSql = 'SELECT pg_try_advisory_xact_lock(1003) AS taken';

/**
 * The end of the chain, and the horizon up to which it may be extended: all transactions older
 * than the oldest running one have ended, so no further rows of theirs can appear. Times and
 * sequence numbers do not guarantee this. Returns a row for the newest head and one for the
 * remembered head ($1). A single statement reads all of this from one snapshot, so that nothing
 * can change between the check of the heads and the read of the end that is signed next.
 */
export const chainStateSql = `
  SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,
    last.seq::text AS "lastSeq", last.entry_hash AS "lastHash", last.txid::text AS "lastTxid",
    head.seq::text AS seq, head.entry_hash AS "entryHash", head.signed_at AS "signedAt", head.kid,
    head.signature, key.public_jwk AS "publicJwk", signed.entry_hash AS "currentHash"
  FROM (VALUES (1)) one
  LEFT JOIN LATERAL (SELECT * FROM chain_entry ORDER BY seq DESC LIMIT 1) last ON true
  LEFT JOIN chain_head head ON head.seq = ANY (ARRAY[$1, (SELECT max(seq) FROM chain_head)])
  LEFT JOIN chain_entry signed ON signed.seq = head.seq
  LEFT JOIN chain_key key ON key.kid = head.kid
  ORDER BY head.seq DESC`;

/**
 * The last entry of each kind ($1), with one probe of the index on (kind, seq). With `kind = …`
 * the planner might use the index on seq instead, and scan the whole chain for a kind without
 * entries.
 */
export const placesSql = `
  SELECT kinds.kind, e.txid::text AS txid, e.ref FROM unnest($1::text[]) AS kinds (kind)
  CROSS JOIN LATERAL (
    SELECT txid, ref FROM chain_entry WHERE kind >= kinds.kind AND kind <= kinds.kind
    ORDER BY kind DESC, seq DESC LIMIT 1
  ) e`;

export const addEntriesSql = `
  INSERT INTO chain_entry (seq, kind, ref, txid, record_hash, previous_hash, entry_hash, format)
  SELECT *, $8::smallint FROM unnest(
    $1::bigint[], $2::text[], $3::text[], $4::xid8[], $5::text[], $6::text[], $7::text[]
  )`;

export const newestKeySql = `
  SELECT kid, sealed_private AS "sealedPrivate", sealed_by AS "sealedBy" FROM chain_key
  ORDER BY created_at DESC LIMIT 1`;

export const addKeySql = `
  INSERT INTO chain_key (kid, algorithm, public_jwk, sealed_private, sealed_by, created_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

export const addHeadSql = `
  INSERT INTO chain_head (seq, entry_hash, signed_at, kid, signature) VALUES ($1, $2, $3, $4, $5)`;

/** An entry that has no place in the chain, of which the first is number 1; null is below it. */
export const strayEntrySql = `
  SELECT e.seq::text AS seq, e.kind, e.ref FROM chain_entry e
  WHERE e.seq < 1 OR e.seq IS NULL LIMIT 1`;

/**
 * Entries after $1 up to $2, in order, limited to $3; also all others with the number of the last,
 * which only a dropped primary key allows.
 */
export const entriesSql = `
  SELECT e.seq::text AS seq, e.kind, e.ref, e.txid::text AS txid, e.record_hash AS "recordHash",
    e.previous_hash AS "previousHash", e.entry_hash AS "entryHash", e.format
  FROM chain_entry e WHERE e.seq > $1 AND e.seq <= $2
  ORDER BY e.seq FETCH FIRST ($3) ROWS WITH TIES`;

export const headsSql = `
  SELECT h.seq::text AS seq, h.entry_hash AS "entryHash", h.signed_at AS "signedAt", h.kid,
    h.signature, k.public_jwk AS "publicJwk"
  FROM chain_head h LEFT JOIN chain_key k USING (kid)
  WHERE h.seq > $1 AND h.seq <= $2 ORDER BY h.seq`;

export const endsSql = `
  SELECT (SELECT max(seq)::text FROM chain_entry) AS "lastSeq",
    (SELECT txid::text FROM chain_entry ORDER BY seq DESC LIMIT 1) AS "lastTxid",
    (SELECT max(seq)::text FROM chain_head) AS "lastHead",
    pg_snapshot_xmax(pg_current_snapshot())::text AS "nextTxid",
    EXISTS (SELECT FROM chain_key) AS signing`;

/** $1 authorizations. Returns the hashes of their bases. */
export const basesOfSql = `
  SELECT id, basis_hash AS hash FROM authorization_record
  WHERE id = ANY($1::text[]) AND basis_hash IS NOT NULL`;

/** $1 hashes. */
export const basisBodiesSql = 'SELECT hash, body FROM decision_basis WHERE hash = ANY($1::text[])';
