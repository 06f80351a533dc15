import { newId } from '@countersign/kernel/id';
import type { Pool, PoolClient } from 'pg';
import { recordColumns } from './record-table.js';

export interface Payment {
  agent_id: string;
  amount: string;
  currency: string;
  merchant_name?: string;
  merchant_id?: string;
  mcc?: string;
  country?: string;
  client_reference?: string;
  idempotency_key?: string;
}

export interface Asked {
  clientId: string;
  principalId: string;
  payment: Payment;
  body: string;
  bodyHash: string;
}

interface MandateRow {
  id: string;
  status: string;
  wrong_currency: boolean;
  over_transaction: boolean;
  over_day: boolean | null;
  over_month: boolean | null;
  bad_mcc: boolean;
  bad_country: boolean;
}

/** Locks the one row that all payments of a mandate share, and compares in the same statement. */
const lockMandate = {
  name: 'lock_mandate',
  text: `
    SELECT id, status,
      currency <> $4 AS wrong_currency,
      $3::numeric > max_per_transaction AS over_transaction,
      CASE WHEN day = $5 THEN day_amount ELSE 0 END + $3 > max_daily AS over_day,
      CASE WHEN month = $6 THEN month_amount ELSE 0 END + $3 > max_monthly AS over_month,
      cardinality(allowed_mccs) > 0 AND NOT coalesce($7 = ANY(allowed_mccs), false) AS bad_mcc,
      cardinality(allowed_countries) > 0
        AND NOT coalesce($8 = ANY(allowed_countries), false) AS bad_country
    FROM mandate
    WHERE agent_id = $1 AND principal_id = $2 AND valid_until > now()
    FOR UPDATE`,
};

const countPayment = {
  name: 'count_payment',
  text: `
    UPDATE mandate SET
      day = $3,
      day_amount = CASE WHEN day = $3 THEN day_amount ELSE 0 END + $2::numeric,
      day_count = CASE WHEN day = $3 THEN day_count ELSE 0 END + 1,
      month = $4,
      month_amount = CASE WHEN month = $4 THEN month_amount ELSE 0 END + $2::numeric,
      month_count = CASE WHEN month = $4 THEN month_count ELSE 0 END + 1
    WHERE id = $1`,
};

const insertRecord = {
  name: 'insert_record',
  text: `
    INSERT INTO authorization_record (${recordColumns.join(', ')})
    VALUES (${recordColumns.map((_, index) => `$${index + 1}`).join(', ')})
    ON CONFLICT (principal_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING`,
};

const findRecord = {
  name: 'find_record',
  text: `
    SELECT answer, body_hash FROM authorization_record
    WHERE principal_id = $1 AND idempotency_key = $2`,
};

export interface Decided {
  status: number;
  answer: string;
}

/** One payment, one transaction, one row lock: what a user would write without this product. */
export async function decide(pool: Pool, asked: Asked): Promise<Decided> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const answer = await decideIn(client, asked);
    if (answer !== null) {
      await client.query('COMMIT');
      return { status: 200, answer };
    }
    await client.query('ROLLBACK');
    return await replay(client, asked);
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

/** Null if the key was used before. */
async function decideIn(client: PoolClient, asked: Asked): Promise<string | null> {
  const { payment, principalId } = asked;
  const now = new Date().toISOString();
  const [day, month] = [now.slice(0, 10), now.slice(0, 7)];
  const { rows } = await client.query<MandateRow>({
    ...lockMandate,
    values: [
      payment.agent_id,
      principalId,
      payment.amount,
      payment.currency,
      day,
      month,
      payment.mcc,
      payment.country,
    ],
  });
  const [mandate] = rows;
  const reasons = reasonsOf(mandate);
  const decision = reasons.length === 0 ? 'APPROVE' : 'DECLINE';
  if (mandate && decision === 'APPROVE') {
    await client.query({ ...countPayment, values: [mandate.id, payment.amount, day, month] });
  }
  const id = newId('authorization');
  const transactionId = newId('transaction');
  const answer = JSON.stringify(
    answerOf(asked, { id, transactionId, decision, reasons, mandate, now }),
  );
  const { rowCount } = await client.query({
    ...insertRecord,
    values: [
      id,
      asked.clientId,
      principalId,
      payment.agent_id,
      mandate?.id ?? null,
      transactionId,
      payment.idempotency_key ?? null,
      asked.bodyHash,
      decision,
      reasons,
      payment.amount,
      payment.currency,
      'CARD',
      payment.mcc ?? null,
      payment.country ?? null,
      payment.merchant_id ?? null,
      payment.merchant_name ?? null,
      payment.client_reference ?? null,
      decision === 'APPROVE' ? day : null,
      asked.body,
      answer,
      now,
    ],
  });
  return rowCount === 1 ? answer : null;
}

function reasonsOf(mandate: MandateRow | undefined): string[] {
  if (!mandate) return ['NO_ACTIVE_MANDATE'];
  const checks: Array<[unknown, string]> = [
    [mandate.status !== 'ACTIVE', 'NO_ACTIVE_MANDATE'],
    [mandate.wrong_currency, 'CURRENCY_MISMATCH'],
    [mandate.bad_mcc, 'MCC_NOT_ALLOWED'],
    [mandate.bad_country, 'COUNTRY_NOT_ALLOWED'],
    [mandate.over_transaction, 'PER_TRANSACTION_EXCEEDED'],
    [mandate.over_day, 'DAILY_AMOUNT_EXCEEDED'],
    [mandate.over_month, 'MONTHLY_AMOUNT_EXCEEDED'],
  ];
  return checks.flatMap(([violated, code]) => (violated ? [code] : []));
}

async function replay(client: PoolClient, { principalId, payment, bodyHash }: Asked) {
  const { rows } = await client.query<{ answer: string; body_hash: string }>({
    ...findRecord,
    values: [principalId, payment.idempotency_key],
  });
  const [first] = rows;
  if (first?.body_hash === bodyHash) return { status: 200, answer: first.answer };
  return { status: 409, answer: '{"error":"the key was used for another payment"}' };
}

interface Verdict {
  id: string;
  transactionId: string;
  decision: string;
  reasons: string[];
  mandate: MandateRow | undefined;
  now: string;
}

/** About 800 bytes, like the product's answer without its signature. */
function answerOf({ payment, principalId }: Asked, verdict: Verdict): object {
  const { id, transactionId, decision, reasons, mandate, now } = verdict;
  return {
    authorization_id: id,
    transaction_id: transactionId,
    decision,
    reason_codes: reasons,
    reason_detail: reasons.length === 0 ? 'Every check passed.' : reasons.join(', '),
    agent_id: payment.agent_id,
    principal_id: principalId,
    mandate_id: mandate?.id ?? null,
    amount: payment.amount,
    currency: payment.currency,
    rail: 'CARD',
    mcc: payment.mcc,
    country: payment.country,
    merchant_name: payment.merchant_name,
    merchant_id: payment.merchant_id,
    client_reference: payment.client_reference,
    idempotency_key: payment.idempotency_key,
    checks: {
      status: 'passed',
      currency: 'passed',
      mcc: 'passed',
      country: 'passed',
      per_transaction: 'passed',
      daily: 'passed',
      monthly: 'passed',
    },
    created_at: now,
  };
}
