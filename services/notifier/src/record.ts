import type { Environment } from '@countersign/kernel/environment';
import type { Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import type { Job } from './deliver.js';
import type { DeliveryMetrics } from './delivery-metrics.js';
import {
  type AttemptResult,
  backoffMs,
  maxConsecutiveFailures,
  type Verdict,
  verdictOf,
} from './retry.js';
import { deliveredSql, failedSql, postponeSql, retrySql } from './sql.js';

export interface RecordParts {
  environment: Environment;
  pool: Pool;
  metrics: DeliveryMetrics;
  log: Logger;
  retryBaseMs: number;
}

const writeAttempts = 3;
const writePauseMs = 300;

/**
 * Stores the result of an attempt and schedules a retry; after the last one the status is
 * `failed`.
 */
export async function recordAttempt(
  job: Job,
  result: AttemptResult,
  parts: RecordParts,
): Promise<Verdict> {
  const { environment, metrics, log } = parts;
  if (result.error === 'SECRET_UNAVAILABLE' && (await postpone(job, parts))) return 'retry';
  const left = job.attempts_left - 1;
  const verdict = verdictOf(result);
  const outcome = verdict === 'retry' && left === 0 ? 'failed' : verdict;
  const [sql, last] = statementOf(outcome, backoffMs(left, parts.retryBaseMs));
  const common = [job.id, job.lease, attemptJson(result), result.statusCode];
  const [changed] = await write(parts.pool, sql, [...common, ...last]);
  metrics.attempts.inc({ environment, outcome });
  metrics.attemptSeconds.observe({ environment, outcome }, result.durationMs / 1_000);
  const { statusCode, error } = result;
  const about = { deliveryId: job.id, webhookId: job.webhook_id, attempt: job.attempt_count + 1 };
  log.debug({ ...about, outcome, statusCode, error }, 'delivery attempted');
  if (changed?.disabled) {
    metrics.disabled.inc({ environment });
    log.warn({ webhookId: job.webhook_id }, 'webhook disabled after consecutive failed events');
  }
  return outcome;
}

/**
 * A fault of ours must neither use up attempts nor switch off the webhook of a customer, unless it
 * lasts for days. False then.
 */
async function postpone(job: Job, { pool, metrics, environment }: RecordParts): Promise<boolean> {
  const { rowCount } = await pool.query(postponeSql, [job.id, job.lease]);
  if (!rowCount) return false;
  metrics.attempts.inc({ environment, outcome: 'retry' });
  return true;
}

function statementOf(outcome: Verdict, pauseMs: number): [sql: string, last: number[]] {
  if (outcome === 'delivered') return [deliveredSql, []];
  return outcome === 'retry' ? [retrySql, [pauseMs]] : [failedSql, [maxConsecutiveFailures]];
}

/** Retried, because a delivery whose result is not stored would be sent again. */
async function write(
  pool: Pool,
  sql: string,
  values: unknown[],
): Promise<Array<{ disabled: boolean }>> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return (await pool.query<{ disabled: boolean }>(sql, values)).rows;
    } catch (error) {
      if (attempts === writeAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, writePauseMs));
    }
  }
}

function attemptJson({ at, statusCode, error, durationMs }: AttemptResult): string {
  return JSON.stringify({ at, status_code: statusCode, error, duration_ms: durationMs });
}
