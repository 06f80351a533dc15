import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createPool, type Pool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { testUrl } from '@countersign/runtime/testing';
import { test } from 'tap';

/** The migration that adds sums of uses, applied to a database that has uses already. */
const migration = '20261202000000_intent_counts';
const folder = new URL('../../prisma/migrations/', import.meta.url);
const log = createLog({ service: 'test', level: 'silent' });

const names = readdirSync(folder)
  .filter((name) => /^\d/.test(name))
  .sort();

async function apply(pool: Pool, which: (name: string) => boolean): Promise<void> {
  for (const name of names.filter(which)) {
    await pool.query(readFileSync(new URL(`${name}/migration.sql`, folder), 'utf8'));
  }
}

/** Inserts a decision with a use of 10.00 of the mandate. */
async function use(pool: Pool, id: string, { decision = 'APPROVE', expires = '1 hour' } = {}) {
  await pool.query(
    `INSERT INTO authorization_record (id, client_id, principal_id, mandate_id, transaction_id,
       correlation_key, body_hash, decision, reason_codes, amount, currency, exponent, rail,
       counted_day, step_up_expires_at, kya_score, trust_level, risk_score, vi_verified,
       processing_time_ms, policy_hash, input_hash, facts, answer, created_at)
     VALUES ($1, 'cli', 'prn', 'man', $1, $1, '', $2, '{}', 10, 'USD', 2, 'CARD',
       CASE WHEN $2 = 'APPROVE' THEN '2026-01-01' END,
       CASE WHEN $2 = 'STEP_UP' THEN now() + $3::interval END, 0, 'VERIFIED', 0, true, 1, '', '',
       '{}', '{}', now())`,
    [id, decision, expires],
  );
  await pool.query(
    `INSERT INTO intent_use VALUES ($1, 'mandate', 'prn', 'iss', 'sub', 'key', 'tofu', 1000, 'USD',
       100, 100000, now())`,
    [id],
  );
}

async function answer(pool: Pool, id: string, status: string): Promise<void> {
  await pool.query(
    `INSERT INTO step_up_answer (authorization_id, status, answered_at, answered_by, counted_day)
     VALUES ($1, $2, now(), 'prn', CASE WHEN $2 = 'CONFIRMED' THEN '2026-01-01' END)`,
    [id, status],
  );
}

async function reverse(pool: Pool, id: string, amount: number): Promise<void> {
  await pool.query(
    `INSERT INTO reversal (id, authorization_id, amount, count_released, partial, requested_by,
       created_at) VALUES ($1 || $2, $1, $2::numeric, $2::numeric = 10, $2::numeric < 10, 'prn',
       now())`,
    [id, String(amount)],
  );
}

async function live(pool: Pool, moment = 'now()') {
  const { rows } = await pool.query(
    `SELECT uses::int, spent_minor::int AS spent FROM live_intent_uses('mandate', '', ${moment})`,
  );
  return rows[0];
}

test('existing uses are summed up by the migration, and later ones added', (t) =>
  withDatabase(async (pool) => {
    await apply(pool, (name) => name < migration);
    const step = { decision: 'STEP_UP' };
    for (const id of ['kept', 'part', 'whole', 'void']) await use(pool, id);
    for (const id of ['yes', 'no', 'waits']) await use(pool, id, step);
    await use(pool, 'over', { ...step, expires: '-1 hour' });
    await answer(pool, 'yes', 'CONFIRMED');
    await answer(pool, 'no', 'DENIED');
    await reverse(pool, 'part', 4);
    await reverse(pool, 'whole', 10);
    await pool.query(`INSERT INTO system_void VALUES ('void', '', '{}', now(), now())`);
    const before = await live(pool);
    t.same(before, { uses: 4, spent: 3_600 }, 'of kept, part, yes and waits');

    await apply(pool, (name) => name >= migration);
    t.same(await live(pool), before);
    t.same(await live(pool, "now() + interval '2 hours'"), { uses: 3, spent: 2_600 }, 'expired');
    await use(pool, 'next');
    await reverse(pool, 'kept', 10);
    t.same(await live(pool), { uses: 3, spent: 2_600 });
  }));

async function withDatabase(work: (pool: Pool) => Promise<void>): Promise<void> {
  const name = `test_intent_${randomBytes(6).toString('hex')}`;
  const admin = createPool({ url: testUrl('postgres'), size: 1, log });
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(testUrl('postgres'));
  url.pathname = `/${name}`;
  const pool = createPool({ url: url.toString(), size: 2, log });
  try {
    await work(pool);
  } finally {
    await pool.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  }
}
