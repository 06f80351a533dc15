import { Pool } from 'pg';

/** A point in the order of the ledger's commits. */
export interface Moment {
  /** The PostgreSQL snapshot at that point, so that no clock is needed. */
  snapshot: string;
  /** The transaction that raised the fence of the entity; null without one. */
  fencedBy: string | null;
}

/**
 * A withdrawal of authority, from the moment after its answer to the moment before it was undone.
 */
export interface Interval {
  principalId: string;
  /** The `client_reference` of all payments that raced it. */
  reference: string;
  answered: Moment;
  ended: Moment;
}

const connections = 4;
const queryTimeoutMs = 30_000;

const momentSql = `
  SELECT pg_current_snapshot()::text AS snapshot,
    (SELECT xmin::text FROM fence WHERE entity_id = $1) AS "fencedBy"`;

/**
 * Approvals (and confirmations) that were committed too late, by either of two proofs. The first
 * does not depend on the product: a row that a snapshot taken after the answer does not show, but a
 * later one does, was committed after the answer. The second leaves no gap between answer and
 * snapshot: a fence and a commit exclude each other before either has a transaction id, so a higher
 * id than the fence's belongs to a commit after the fence, which precedes the answer. (Row versions
 * contain 32 bits of the id, and a test's server is too young to have used more.)
 */
const lateSql = `
  SELECT r.id, race.reference, made.txid::text
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
    AS race (principal_id, reference, answered, fenced_by, ended)
  JOIN authorization_record r
    ON r.principal_id = race.principal_id AND r.client_reference = race.reference
  LEFT JOIN step_up_answer a ON a.authorization_id = r.id AND a.status = 'CONFIRMED'
  CROSS JOIN LATERAL (SELECT coalesce(a.txid, r.txid) AS txid) made
  WHERE (r.decision = 'APPROVE' OR a.authorization_id IS NOT NULL)
    AND pg_visible_in_snapshot(made.txid, race.ended::pg_snapshot)
    AND (NOT pg_visible_in_snapshot(made.txid, race.answered::pg_snapshot)
      OR made.txid::text::bigint > race.fenced_by::bigint)`;

/** Reads the ledger's database directly. */
export class CommitOrder {
  readonly #pool: Pool;

  constructor(databaseUrl: string) {
    this.#pool = new Pool({
      connectionString: databaseUrl,
      max: connections,
      query_timeout: queryTimeoutMs,
    });
    this.#pool.on('error', () => {});
  }

  async now(fencedEntity: string | null = null): Promise<Moment> {
    const { rows } = await this.#pool.query<Moment>(momentSql, [fencedEntity]);
    if (!rows[0]) throw new Error('the ledger has no present');
    return rows[0];
  }

  /** One sentence per late approval. */
  async lateApprovals(intervals: readonly Interval[]): Promise<string[]> {
    const { rows } = await this.#pool.query<{ id: string; reference: string; txid: string }>(
      lateSql,
      [
        intervals.map(({ principalId }) => principalId),
        intervals.map(({ reference }) => reference),
        intervals.map(({ answered }) => answered.snapshot),
        intervals.map(({ answered }) => answered.fencedBy),
        intervals.map(({ ended }) => ended.snapshot),
      ],
    );
    return rows.map(({ id, reference, txid }) => `${reference}: ${id} committed late, by ${txid}`);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
