import type { Environment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import type { FenceRequestInput, LedgerDefinition } from '@countersign/proto/ledger';
import type { Pool } from '@countersign/runtime/database';
import type { GrpcClient } from '@countersign/runtime/grpc-client';
import type { Call, CallOptions } from '@countersign/runtime/grpc-types';
import type { Logger } from '@countersign/runtime/log';
import { Loop } from '@countersign/runtime/loop';
import type { Gauge, Metrics } from '@countersign/runtime/metrics';
import { deleteFences, overdueFences, pendingFencesOf } from './sql.js';

/** The lowest version of an entity that a proposal may be based on. */
interface FencedVersion {
  entityId: string;
  version: number;
  /** True for a revoked agent: the ledger denies its pending challenges with the fence. */
  revoked: boolean;
}

export interface FencesOptions {
  environment: Environment;
  pool: Pool;
  ledger: Pick<GrpcClient<LedgerDefinition>, 'call'>;
  log: Logger;
  metrics: Metrics;
  retryMs: number;
}

const chunkSize = 500;
const maxChunks = 100;
const deadlineMs = 1_500;

/**
 * Delivers fences to the ledger, which then rejects proposals based on older versions. Fences are
 * stored in the transaction of the change, so a crash loses none: a loop delivers those that the
 * call could not.
 */
export class Fences {
  readonly #options: FencesOptions;
  #loop: Loop | null = null;

  constructor(options: FencesOptions) {
    this.#options = options;
  }

  /** Resolves once the ledger has accepted all fences of these entities; rejects `unavailable`. */
  async deliver(entityIds: readonly string[], call: Call): Promise<void> {
    if (entityIds.length === 0) return;
    for (let chunk = 0; chunk < maxChunks; chunk += 1) {
      const { pool } = this.#options;
      const { rows } = await pool.query<FencedVersion>(pendingFencesOf, [entityIds, chunkSize]);
      if (rows.length === 0) return;
      await this.#send(rows, {
        requestId: call.requestId,
        trace: call.trace,
        deadlineMs: Math.min(deadlineMs, call.deadlineAt - Date.now()),
      });
      if (rows.length < chunkSize) return;
    }
    throw notEnforcedYet(new Error('more fences are pending than one call may deliver'));
  }

  start(): void {
    const { environment, metrics, log, retryMs } = this.#options;
    const gauge = metrics.gauge(
      `fences_pending_${environment}`,
      'fences that the ledger has not acknowledged, up to one batch',
    );
    this.#loop = new Loop({
      turn: async () => {
        await this.#sendOverdue(gauge);
        return retryMs;
      },
      failing: {
        ...{ log, facts: { environment } },
        failed: 'fences could not be delivered to the ledger',
        over: 'fences are delivered to the ledger again',
      },
      retryMs,
    });
  }

  async stop(): Promise<void> {
    await this.#loop?.stop();
  }

  async #sendOverdue(gauge: Gauge): Promise<void> {
    const { pool, retryMs } = this.#options;
    const { rows } = await pool.query<FencedVersion>(overdueFences, [retryMs, chunkSize]);
    gauge.set(rows.length);
    if (rows.length > 0) await this.#send(rows, { requestId: newId('event'), deadlineMs });
  }

  async #send(
    entities: FencedVersion[],
    {
      requestId,
      deadlineMs: withinMs,
      trace,
    }: Pick<CallOptions, 'requestId' | 'trace'> & { deadlineMs: number },
  ): Promise<void> {
    const { environment, ledger, pool, log } = this.#options;
    try {
      if (withinMs <= 0) throw new Error('the deadline of the call has passed');
      await ledger.call.Fence(fenceRequest(entities), {
        environment,
        requestId,
        trace,
        deadlineMs: withinMs,
      });
    } catch (error) {
      throw notEnforcedYet(error);
    }
    const acknowledged = [entities.map((e) => e.entityId), entities.map((e) => e.version)];
    // The ledger enforces the fence in any case; the loop sends rows that remain once more.
    await pool.query(deleteFences, acknowledged).catch((error: unknown) => {
      log.warn({ err: error }, 'delivered fences could not be deleted');
    });
  }
}

function notEnforcedYet(cause: unknown): Fault {
  return new Fault('unavailable', {
    message: 'The change was saved but is not yet enforced everywhere; retry the request.',
    cause,
  });
}

function fenceRequest(rows: readonly FencedVersion[]): FenceRequestInput {
  return {
    entities: rows.map(({ entityId, version }) => ({ entityId, version })),
    revokedAgentIds: rows.filter(({ revoked }) => revoked).map(({ entityId }) => entityId),
  };
}
