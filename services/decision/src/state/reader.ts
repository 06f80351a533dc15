import type { Pool } from '@countersign/runtime/database';
import type { Metrics } from '@countersign/runtime/metrics';
import { Pace } from '@countersign/runtime/pace';
import { encodeIntArray, encodeTextArray } from '@countersign/runtime/sql-array';
import type { Baseline } from '../anomaly/baseline.js';
import { readTraces } from '../anomaly/trace-rows.js';
import type { DecisionMetrics } from '../decision-metrics.js';
import type { ProfileFacts } from '../facts/shape.js';
import { unpackState } from '../profile/packed-state.js';
import { stateSql } from '../sql.js';
import type { Thresholds } from '../thresholds/table.js';
import { type HeldThresholds, noThresholds, type StateCache } from './cache.js';

export interface StoredState {
  thresholds: Thresholds;
  profile: ProfileFacts | null;
  /** The past payments that a payment of the agent is compared with. */
  baseline: Baseline | null;
}

interface Asked {
  principalId: string;
  agentId: string;
}

interface Waiting extends Asked {
  /** What this process has cached, used if it is still current. */
  held: {
    thresholds: HeldThresholds;
    profile: ProfileFacts | null;
    baseline: Baseline | null;
    /** The version of the baseline when the read was queued: it may have grown since. */
    traced: number;
  };
  found: (known: StoredState) => void;
  failed: (error: unknown) => void;
}

/** A row for a pair of which something cached is outdated; columns that are current are null. */
interface StateRow {
  /** Index of the pair, counted from 1. */
  place: number;
  thresholds_version: number | null;
  /** As JSON text. */
  overrides: string | null;
  profile_version: number | null;
  /** Null also if only traces are newer. */
  profile: string | null;
  traces_since: number | null;
  /** Lists without the outermost brackets. */
  traces: string | null;
}

interface Newer extends Pick<Waiting, 'held'> {
  version: number;
  content: string;
}

const maxGroup = 128;
/** Minimum interval between groups: a read of one costs nearly as much as one of ten. */
const everyMs = 3;
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
  readonly #pace = new Pace({ everyMs, readySize });

  constructor(parts: StateReaderParts) {
    this.#pool = parts.pool;
    this.#counted = parts.counted;
    this.#metrics = parts.metrics;
    this.#cache = parts.cache;
  }

  /** The queue is bounded by the deadlines of the decisions that wait. */
  read({ principalId, agentId }: Asked): Promise<StoredState> {
    const baseline = this.#cache.baselineOf(agentId);
    const held = {
      thresholds: this.#cache.thresholdsOf(principalId),
      profile: this.#cache.profileOf(agentId),
      baseline,
      traced: baseline?.version ?? 0,
    };
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
      await this.#pace.begin(this.#queue.length);
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
      waiting.found(this.#merge(waiting, row));
    } catch (error) {
      waiting.failed(error);
    }
  }

  #merge({ principalId, agentId, held }: Waiting, row: StateRow | undefined): StoredState {
    let { thresholds, profile, baseline } = held;
    this.#counted.pastReads.inc({ read: transferredPart(held.baseline, row) });
    if (row?.overrides && row.thresholds_version !== null) {
      const { thresholds_version: version, overrides } = row;
      thresholds = this.#cache.holdThresholds(principalId, version, overrides);
    } else if (thresholds === noThresholds) this.#cache.holdNone(principalId);
    if (row?.profile && row.profile_version !== null) {
      profile = this.#newer(agentId, { version: row.profile_version, content: row.profile, held });
    }
    if (row?.profile_version && row.profile_version !== held.traced) {
      baseline = this.#traced(agentId, held, row);
    }
    return { thresholds: thresholds.thresholds, profile, baseline };
  }

  #traced(agentId: string, held: Waiting['held'], row: StateRow): Baseline {
    // Some rows were deleted since: then all rows were sent, to replace the baseline.
    const isStale = (row.traces_since ?? 0) > held.traced;
    return this.#cache.holdTraces(agentId, {
      held: isStale ? null : held.baseline,
      version: row.profile_version ?? 0,
      rows: readTraces(row.traces),
    });
  }

  #newer(agentId: string, { version, content, held }: Newer): ProfileFacts {
    const known = this.#cache.profileOf(agentId);
    // Updated in this process while the statement ran.
    if (known?.version === version) return known;
    const profile = { version, state: unpackState(content) };
    // Unless a newer profile has been cached meanwhile.
    if (known === held.profile) this.#cache.holdProfile(agentId, profile);
    return profile;
  }
}

/** How much of the history was transferred: all of it if nothing was cached. */
function transferredPart(
  held: Baseline | null,
  row: StateRow | undefined,
): 'none' | 'newer' | 'whole' {
  if (!row?.traces) return 'none';
  return held ? 'newer' : 'whole';
}
