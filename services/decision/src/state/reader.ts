import type { Pool } from '@countersign/runtime/database';
import { encodeIntArray, encodeTextArray } from '@countersign/runtime/database/sql-array';
import type { Metrics } from '@countersign/runtime/metrics';
import { Pace } from '@countersign/runtime/sharing/pace';
import type { DecisionMetrics } from '../decision-metrics.js';
import { stateSql } from '../sql.js';
import type { StateCache } from './cache.js';
import {
  type Asked,
  type HeldState,
  heldState,
  mergeState,
  type StateRow,
  type StoredState,
  transferredPart,
} from './merge.js';

interface Waiting extends Asked {
  held: HeldState;
  found: (known: StoredState) => void;
  failed: (error: unknown) => void;
}

const maxGroup = 128;
/** Minimum interval between groups: a read of one costs nearly as much as one of ten. */
const everyMs = 3;
/** After one or two reads the next group may start earlier. */
const everyMsEach = 1;
/** A group of this size is read without waiting for the interval. */
const readySize = 32;

export interface StateReaderParts {
  pool: Pool;
  metrics: Metrics;
  cache: StateCache;
  counted: Pick<DecisionMetrics, 'pastReads'>;
}

/**
 * Reads thresholds, profile and past payments for decisions, in groups of one statement: a group
 * is what queued while the previous one was read. So a burst needs one connection rather than one
 * for each decision, and an idle service adds no delay. What is cached is only compared by its
 * version, so it is never outdated and rarely transferred.
 */
export class StateReader {
  readonly #pool: Pool;
  readonly #metrics: Metrics;
  readonly #cache: StateCache;
  readonly #counted: Pick<DecisionMetrics, 'pastReads'>;
  #queue: Waiting[] = [];
  #reading = false;
  readonly #pace = new Pace({ everyMs, everyMsEach, readySize });

  constructor(parts: StateReaderParts) {
    this.#pool = parts.pool;
    this.#counted = parts.counted;
    this.#metrics = parts.metrics;
    this.#cache = parts.cache;
  }

  /** The queue is bounded by the deadlines of the decisions that wait. */
  read({ principalId, agentId }: Asked): Promise<StoredState> {
    const held = heldState(this.#cache, { principalId, agentId });
    return new Promise((found, failed) => {
      this.#queue.push({ principalId, agentId, held, found, failed });
      if (!this.#reading) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#reading = true;
    // Reads of this same turn belong to the first group.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      await this.#pace.begin(() => this.#queue.length);
      await this.#readGroup(this.#queue.splice(0, maxGroup));
    }
    this.#reading = false;
  }

  async #readGroup(group: Waiting[]): Promise<void> {
    try {
      this.#metrics.roundTrip('postgres');
      const { rows } = await this.#pool.query<StateRow>({
        ...stateSql,
        values: [
          encodeTextArray(group.map(({ principalId }) => principalId)),
          encodeTextArray(group.map(({ agentId }) => agentId)),
          encodeIntArray(group.map(({ held }) => held.thresholds.version)),
          encodeIntArray(group.map(({ held }) => held.profile?.version ?? 0)),
          encodeIntArray(group.map(({ held }) => held.traced)),
        ],
      });
      const newer = new Map(rows.map((row) => [row.place - 1, row]));
      for (const [index, waiting] of group.entries()) this.#tell(waiting, newer.get(index));
    } catch (error) {
      for (const { failed } of group) failed(error);
    }
  }

  /** A row that cannot be parsed, such as one of a later release, fails its own decision only. */
  #tell(waiting: Waiting, row: StateRow | undefined): void {
    try {
      this.#counted.pastReads.inc({ read: transferredPart(waiting.held.baseline, row) });
      waiting.found(mergeState(this.#cache, waiting, row));
    } catch (error) {
      waiting.failed(error);
    }
  }
}
