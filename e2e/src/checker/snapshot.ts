import { restoredAnswer } from '@countersign/kernel/stored-answer';
import { Client } from 'pg';
import { eventText } from './event-text.js';

/** A consistent snapshot of the ledger's tables. Amounts stay text, as PostgreSQL formats them. */
export interface Snapshot {
  records: RecordRow[];
  stepUpAnswers: Array<{ id: string; status: string; countedDay: string | null }>;
  reversals: ReversalRow[];
  voids: Array<{ id: string; answer: string }>;
  firstAnswers: Array<{ id: string; principalId: string; key: string }>;
  /** Ids of unanswered challenges. */
  pending: string[];
  /** Unanswered challenges whose expiry was published. */
  expired: Array<{ id: string }>;
  outcomes: Array<{ id: string; outcomeType: string }>;
  usages: UsageRow[];
  outbox: OutboxRow[];
}

export interface RecordRow {
  id: string;
  principalId: string;
  mandateId: string | null;
  key: string | null;
  decision: string;
  reasonCodes: string[];
  amount: string;
  dailyAmountLimit: string | null;
  monthlyAmountLimit: string | null;
  dailyCountLimit: string | null;
  monthlyCountLimit: string | null;
  countedDay: string | null;
  /** As it was sent. */
  answer: string;
  /** Epoch milliseconds. */
  createdAt: string;
}

export interface ReversalRow {
  id: string;
  authorizationId: string;
  amount: string;
  countReleased: boolean;
  requestedBy: string;
  reason: string | null;
}

export interface OutboxRow {
  /** The event as JSON text. */
  payload: string;
  published: boolean;
}

export interface UsageRow {
  mandateId: string;
  day: string;
  dayAmount: string;
  dayCount: string;
  month: string;
  monthAmount: string;
  monthCount: string;
}

const queries: Record<keyof Snapshot, string> = {
  records: `SELECT id, principal_id AS "principalId", mandate_id AS "mandateId",
      idempotency_key AS key, decision, reason_codes AS "reasonCodes", amount::text,
      daily_amount_limit::text AS "dailyAmountLimit",
      monthly_amount_limit::text AS "monthlyAmountLimit",
      daily_count_limit::text AS "dailyCountLimit",
      monthly_count_limit::text AS "monthlyCountLimit", counted_day AS "countedDay",
      replayed_answer(r) AS answer,
      (extract(epoch FROM created_at) * 1000)::bigint::text AS "createdAt"
    FROM authorization_record r ORDER BY id`,
  stepUpAnswers: `SELECT authorization_id AS id, status, counted_day AS "countedDay"
    FROM step_up_answer`,
  reversals: `SELECT id, authorization_id AS "authorizationId", amount::text,
      count_released AS "countReleased", requested_by AS "requestedBy", reason FROM reversal`,
  voids: 'SELECT authorization_id AS id, answer FROM system_void',
  firstAnswers: `SELECT authorization_id AS id, principal_id AS "principalId",
      idempotency_key AS key
    FROM first_answer ORDER BY answered_at, authorization_id`,
  pending: 'SELECT authorization_id AS id FROM pending_step_up',
  expired: `SELECT authorization_id AS id FROM pending_step_up
    WHERE expiry_told_at IS NOT NULL`,
  outcomes: 'SELECT authorization_id AS id, outcome_type AS "outcomeType" FROM outcome',
  usages: `SELECT mandate_id AS "mandateId", day, day_amount::text AS "dayAmount",
      day_count::text AS "dayCount", month, month_amount::text AS "monthAmount",
      month_count::text AS "monthCount" FROM mandate_usage`,
  outbox: `SELECT event, u.seq IS NULL AS published
    FROM outbox o LEFT JOIN unpublished u USING (seq)
    CROSS JOIN json_array_elements(('[' || payload || ']')::json) WITH ORDINALITY e (event, nth)
    ORDER BY seq, nth`,
};

const queryTimeoutMs = 30_000;

/** Reads all tables in one snapshot, whatever is written meanwhile. */
export async function readSnapshot(databaseUrl: string): Promise<Snapshot> {
  const client = new Client({ connectionString: databaseUrl, query_timeout: queryTimeoutMs });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const found: Record<string, unknown[]> = {};
    for (const [name, sql] of Object.entries(queries)) found[name] = (await client.query(sql)).rows;
    const pending = (found.pending as Array<{ id: string }>).map(({ id }) => id);
    const records = (found.records as RecordRow[]).map((record) => ({
      ...record,
      answer: restoredAnswer(record.answer),
    }));
    const outbox = (found.outbox as Array<{ event: unknown; published: boolean }>).map(
      ({ event, published }): OutboxRow => ({ payload: eventText(event), published }),
    );
    return { ...found, pending, records, outbox } as unknown as Snapshot;
  } finally {
    await client.end();
  }
}
