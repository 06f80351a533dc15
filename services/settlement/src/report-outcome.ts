import { type Clock, isoTime } from '@countersign/kernel/clock';
import type { Environment } from '@countersign/kernel/environment';
import { isOutage } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Pool } from '@countersign/runtime/database';
import type { GrpcClient } from '@countersign/runtime/grpc-client';
import type { Logger } from '@countersign/runtime/log';
import { Loop } from '@countersign/runtime/loop';
import { ending, type Tracer } from '@countersign/runtime/trace';
import type { WakeSignal } from '@countersign/runtime/wake-signal';
import type { ChainSettings } from './chain-settings.js';
import { outcomeReport, type SettledRow } from './outcome.js';
import { settlementSpan, type Traced } from './settlement-span.js';
import { leaseOutcomesSql, outcomeRecordedSql, releaseOutcomesSql } from './sql.js';

export interface OutcomeOptions {
  environment: Environment;
  pool: Pool;
  ledger: GrpcClient<LedgerDefinition>;
  chains: readonly ChainSettings[];
  clock: Clock;
  log: Logger;
  pollMs: number;
  tracer: Tracer | null;
  /** That there is something to report. */
  signal: WakeSignal;
}

type TracedRow = SettledRow & Traced;

const batchSize = 32;
const leaseMs = 15_000;
const deadlineMs = 2_000;

/**
 * Reports every settled transfer to the ledger until it is accepted. Repeated reports are
 * harmless, because the outcome keeps its id.
 */
export function startOutcomeReporter(options: OutcomeOptions): Loop {
  const { log, pollMs, signal } = options;
  return new Loop({
    signal,
    turn: async (stopping) => {
      const reported = await reportBatch(options, stopping);
      // What could not be reported is due later, and until then nothing shows that it can be.
      if (reported === 0) return null;
      return reported === batchSize ? 0 : pollMs;
    },
    failing: {
      log,
      failed: 'settled transfers could not be reported to the ledger',
      over: 'settled transfers are reported to the ledger again',
    },
    retryMs: pollMs,
  });
}

/** Returns how many were due, up to a batch. */
async function reportBatch(options: OutcomeOptions, stopping: AbortSignal): Promise<number> {
  const { pool, log } = options;
  const { rows } = await pool.query<TracedRow>(leaseOutcomesSql, [batchSize, leaseMs]);
  for (const [index, row] of rows.entries()) {
    if (stopping.aborted) {
      await release(null, rows.slice(index), options);
      break;
    }
    const status = await report(row, options).catch(async (error: unknown) => {
      // The rest of the batch would then fail as well.
      if (isOutage(error)) {
        await release(row, rows.slice(index + 1), options);
        throw error;
      }
      // It is retried after its lease; the rest of the batch must not wait for it.
      log.error({ err: error, settlementId: row.id }, 'the ledger failed to record the outcome');
      return 'failed';
    });
    if (status === 'failed') continue;
    // A retry would be rejected again; the settlement itself remains valid.
    if (status === 'not_found' || status === 'invalid') {
      log.error({ settlementId: row.id, status }, 'the ledger rejected the outcome');
    }
    await pool.query(outcomeRecordedSql, [row.id]);
  }
  return rows.length;
}

/**
 * Ends a batch early, because of a stop or an error of the ledger. The error may concern only this
 * outcome, for example one whose handling always times out, so the others are due before it.
 */
async function release(
  failed: TracedRow | null,
  unsent: readonly TracedRow[],
  { pool, log }: OutcomeOptions,
): Promise<void> {
  const values = [failed?.id ?? null, unsent.map(({ id }) => id)];
  await pool.query(releaseOutcomesSql, values).catch((error: unknown) => {
    log.warn({ err: error }, 'outcomes could not be released before their lease ends');
  });
}

async function report(row: TracedRow, options: OutcomeOptions): Promise<string | undefined> {
  const { environment, ledger, clock } = options;
  const request = {
    tenant: { clientId: row.clientId, principalId: row.principalId },
    reports: [outcomeReport(row, options.chains, isoTime(clock()))],
  };
  const trace = settlementSpan(row, options, 'report the outcome');
  const call = { environment, requestId: newId('event'), deadlineMs, trace };
  const { results } = await ending(trace, ledger.call.RecordOutcomes(request, call));
  return results[0]?.status;
}
