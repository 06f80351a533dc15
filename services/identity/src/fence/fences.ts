import type { Environment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import type { FenceRequestInput } from '@countersign/proto/ledger';
import type { Pool } from '@countersign/runtime/database';
import type { Call, CallOptions } from '@countersign/runtime/grpc-types';
import type { Logger } from '@countersign/runtime/log';
import { Loop } from '@countersign/runtime/loop';
import type { Gauge, Metrics } from '@countersign/runtime/metrics';
import type { LedgerClient } from '../ledger.js';
import { deleteFences, leftoverFences, pendingFencesOf } from '../sql.js';

/** The lowest version of an entity that a proposal may have been judged by. */
export interface FencedVersion {
  entityId: string;
  version: number;
  /** True for a revoked agent: its pending challenges are denied with the fence. */
  revoked: boolean;
}

export interface FencesOptions {
  environment: Environment;
  pool: Pool;
  ledger: LedgerClient;
  log: Logger;
  metrics: Metrics;
  retryMs: number;
}

const chunkSize = 500;
const maxChunks = 100;
const deadlineMs = 1_500;

/**
 * Sends fences to the ledger, which then refuses proposals judged by older versions. The rows were
 * written in the transaction of the change, so a crash loses none: a loop sends what a call has
 * left behind.
 */
export class Fences {
  readonly #options: FencesOptions;
  #loop: Loop | null = null;

  constructor(options: FencesOptions) {
    this.#options = options;
  }

  /** Resolves once the ledger has every pending fence of these entities; else `unavailable`. */
  async settle(entityIds: readonly string[], call: Call): Promise<void> {
    for (let chunk = 0; chunk < maxChunks && entityIds.length > 0; chunk += 1) {
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
  }

  start(): void {
    const { environment, metrics, log, retryMs } = this.#options;
    const gauge = metrics.gauge(
      `fences_pending_${environment}`,
      'versions the ledger has still to hear of',
    );
    this.#loop = new Loop({
      turn: async () => {
        await this.#sendLeftovers(gauge);
        return retryMs;
      },
      failed: (error) => {
        log.warn({ err: error }, 'fences wait for the ledger');
        return retryMs;
      },
    });
  }

  async stop(): Promise<void> {
    await this.#loop?.stop();
  }

  async #sendLeftovers(gauge: Gauge): Promise<void> {
    const { pool, retryMs } = this.#options;
    const { rows } = await pool.query<FencedVersion>(leftoverFences, [retryMs, chunkSize]);
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
      throw new Fault('unavailable', {
        code: 'SERVICE_UNAVAILABLE',
        message: 'The change is made but does not hold everywhere yet; try again.',
        cause: error,
      });
    }
    const held = [entities.map((e) => e.entityId), entities.map((e) => e.version)];
    // The fence holds all the same; a row that is left is sent once more by the loop.
    await pool.query(deleteFences, held).catch((error: unknown) => {
      log.warn({ err: error }, 'a fence that the ledger has could not be forgotten');
    });
  }
}

function fenceRequest(rows: readonly FencedVersion[]): FenceRequestInput {
  return {
    entities: rows.map(({ entityId, version }) => ({ entityId, version })),
    revokedAgentIds: rows.filter(({ revoked }) => revoked).map(({ entityId }) => entityId),
  };
}
