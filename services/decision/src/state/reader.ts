import type { Pool } from '@countersign/runtime/database';
import { encodeIntArray, encodeTextArray } from '@countersign/runtime/database/sql-array';
import type { Metrics } from '@countersign/runtime/metrics';
import { Pace } from '@countersign/runtime/sharing/pace';
import { outOfTime } from '../budget.js';
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

interface Read extends Asked {
  /** When its decision stops waiting, in epoch milliseconds. */
  endsAt: number;
}

interface Waiting extends Read {
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
/** Statements at once, including those whose connection may have fallen silent. */
const maxAtOnce = 3;
/** The part of `longestMs` after which a read is overdue: a usual one takes a few milliseconds. */
const overduePart = 1 / 8;

interface StateReaderParts {
  pool: Pool;
  metrics: Metrics;
  cache: StateCache;
  counted: Pick<DecisionMetrics, 'pastReads'>;
  /** A statement that takes longer is of no use to any decision: its connection is closed. */
  longestMs: number;
}

/**
 * Reads thresholds, profile and past payments for decisions, in groups of one statement: a group
 * is what queued while the previous one was read. So a burst needs one connection rather than one
 * for each decision, and an idle service adds no delay. What is cached is only compared by its
 * version, so it is never outdated and rarely transferred.
 *
 * A connection whose peer has vanished looks like a slow one. So while a group is overdue, the next
 * one is read on another connection, and only the decisions of the first one fail.
 */
export class StateReader {
  readonly #pool: Pool;
  readonly #metrics: Metrics;
  readonly #cache: StateCache;
  readonly #counted: Pick<DecisionMetrics, 'pastReads'>;
  readonly #longestMs: number;
  #queue: Waiting[] = [];
  /** The group that was begun last and that the next one waits for; null if none is read. */
  #latest: readonly Waiting[] | null = null;
  #atOnce = 0;
  #watching = false;
  readonly #pace = new Pace({ everyMs, everyMsEach, readySize });

  constructor(parts: StateReaderParts) {
    this.#pool = parts.pool;
    this.#counted = parts.counted;
    this.#metrics = parts.metrics;
    this.#cache = parts.cache;
    this.#longestMs = parts.longestMs;
  }

  read({ principalId, agentId, endsAt }: Read): Promise<StoredState> {
    const held = heldState(this.#cache, { principalId, agentId });
    return new Promise((found, failed) => {
      this.#queue.push({ principalId, agentId, endsAt, held, found, failed });
      if (this.#latest === null) void this.#work();
      else if (!this.#watching) this.#watch();
    });
  }

  async #work(): Promise<void> {
    let group: readonly Waiting[] = [];
    this.#latest = group;
    this.#atOnce += 1;
    // Reads of this same turn belong to the first group.
    await Promise.resolve();
    while (this.#latest === group && this.#queue.length > 0) {
      await this.#pace.begin(() => this.#queue.length);
      group = this.#next();
      this.#latest = group;
      if (group.length > 0) await this.#readGroup(group);
    }
    this.#atOnce -= 1;
    if (this.#latest === group) this.#latest = null;
  }

  /** The next group; those whose decision has given up are left out. */
  #next(): readonly Waiting[] {
    const now = Date.now();
    return this.#queue.splice(0, maxGroup).filter(({ endsAt, failed }) => {
      if (endsAt > now) return true;
      failed(outOfTime('no earlier read has ended'));
      return false;
    });
  }

  /** Looks after a while whether a group is overdue: one timer, however many groups there are. */
  #watch(): void {
    this.#watching = true;
    const before = this.#latest;
    setTimeout(() => {
      this.#watching = false;
      if (this.#queue.length === 0) return;
      if (this.#latest === before && this.#atOnce < maxAtOnce) void this.#work();
      this.#watch();
    }, this.#longestMs * overduePart).unref();
  }

  async #readGroup(group: readonly Waiting[]): Promise<void> {
    try {
      this.#metrics.roundTrip('postgres');
      const query = {
        ...stateSql,
        query_timeout: this.#longestMs,
        values: [
          encodeTextArray(group.map(({ principalId }) => principalId)),
          encodeTextArray(group.map(({ agentId }) => agentId)),
          encodeIntArray(group.map(({ held }) => held.thresholds?.version ?? 0)),
          encodeIntArray(group.map(({ held }) => held.profile?.version ?? 0)),
          encodeIntArray(group.map(({ held }) => held.traced)),
        ],
      };
      const { rows } = await this.#pool.query<StateRow>(query);
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
