import type { Pool } from '@countersign/runtime/database';
import type { Metrics } from '@countersign/runtime/metrics';
import { Pace } from '@countersign/runtime/pace';
import { encodeIntArray, encodeTextArray } from '@countersign/runtime/sql-array';
import type { Baseline } from './anomaly/baseline.js';
import { readTraces } from './anomaly/trace-rows.js';
import type { DecisionMetrics } from './decision-metrics.js';
import type { ProfileFacts } from './facts-shape.js';
import { type HeldThresholds, type KnownMemory, noThresholds } from './known-memory.js';
import { unpackState } from './profile/packed-state.js';
import { knownSql } from './sql.js';
import type { Thresholds } from './thresholds/table.js';

export interface Known {
  thresholds: Thresholds;
  profile: ProfileFacts | null;
  /** What payments of the agent are compared with. */
  baseline: Baseline | null;
}

interface Asked {
  principalId: string;
  agentId: string;
}

interface Waiting extends Asked {
  /** What this process has already, for the case that it is still the newest. */
  held: {
    thresholds: HeldThresholds;
    profile: ProfileFacts | null;
    baseline: Baseline | null;
    /** What the baseline had when it was asked for: it may have grown since. */
    traced: number;
  };
  found: (known: Known) => void;
  failed: (error: unknown) => void;
}

/** Of a pair of which something is not as it is held; null is what is. */
interface KnownRow {
  /** Which of the pairs, counted from 1. */
  place: number;
  thresholds_version: number | null;
  /** As JSON text. */
  overrides: string | null;
  profile_version: number | null;
  /** Null also where only traces are newer. */
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
/** A read for one costs nearly what it costs for ten, so groups begin a little apart. */
const everyMs = 3;
/** So many that nothing is gained by waiting for more. */
const readySize = 32;

export interface KnownReaderParts {
  pool: Pool;
  metrics: Metrics;
  memory: KnownMemory;
  counted: Pick<DecisionMetrics, 'pastReads'>;
}

/**
 * Reads what is known of a Principal and an agent, for all decisions that ask at the same time in
 * one statement: a group is what queued while the previous one was read. So a burst needs one
 * connection, not one for each decision, and an idle service adds no delay. Content is in memory,
 * and only its version is compared, so it is never old and rarely sent.
 */
export class KnownReader {
  readonly #pool: Pool;
  readonly #metrics: Metrics;
  readonly #memory: KnownMemory;
  readonly #counted: Pick<DecisionMetrics, 'pastReads'>;
  #queue: Waiting[] = [];
  #reading = false;
  readonly #pace = new Pace({ everyMs, readySize });

  constructor(parts: KnownReaderParts) {
    this.#pool = parts.pool;
    this.#counted = parts.counted;
    this.#metrics = parts.metrics;
    this.#memory = parts.memory;
  }

  /** Every decision has a deadline of its own and so bounds how much can queue here. */
  read({ principalId, agentId }: Asked): Promise<Known> {
    const baseline = this.#memory.baselineOf(agentId);
    const held = {
      thresholds: this.#memory.thresholdsOf(principalId),
      profile: this.#memory.profileOf(agentId),
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
    // Whoever asks in this same turn belongs to the first group.
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
      const { rows } = await this.#pool.query<KnownRow>({
        ...knownSql,
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

  /** What cannot be read of one agent, as a later release may have written it, fails it alone. */
  #tell(waiting: Waiting, row: KnownRow | undefined): void {
    try {
      waiting.found(this.#merge(waiting, row));
    } catch (error) {
      waiting.failed(error);
    }
  }

  #merge({ principalId, agentId, held }: Waiting, row: KnownRow | undefined): Known {
    let { thresholds, profile, baseline } = held;
    this.#counted.pastReads.inc({ read: whatIsRead(held.baseline, row) });
    if (row?.overrides && row.thresholds_version !== null) {
      const { thresholds_version: version, overrides } = row;
      thresholds = this.#memory.holdThresholds(principalId, version, overrides);
    } else if (thresholds === noThresholds) this.#memory.holdNone(principalId);
    if (row?.profile && row.profile_version !== null) {
      profile = this.#newer(agentId, { version: row.profile_version, content: row.profile, held });
    }
    if (row?.profile_version && row.profile_version !== held.traced) {
      baseline = this.#traced(agentId, held, row);
    }
    return { thresholds: thresholds.thresholds, profile, baseline };
  }

  #traced(agentId: string, held: Waiting['held'], row: KnownRow): Baseline {
    // What was taken back is in no row: then all came, to begin anew.
    const anew = (row.traces_since ?? 0) > held.traced;
    return this.#memory.holdTraces(agentId, {
      held: anew ? null : held.baseline,
      version: row.profile_version ?? 0,
      rows: readTraces(row.traces),
    });
  }

  #newer(agentId: string, { version, content, held }: Newer): ProfileFacts {
    const known = this.#memory.profileOf(agentId);
    // Learnt here while the answer was under way.
    if (known?.version === version) return known;
    const profile = { version, state: unpackState(content) };
    // What came into memory meanwhile is newer than this answer.
    if (known === held.profile) this.#memory.holdProfile(agentId, profile);
    return profile;
  }
}

/** Of an agent's past: others learn too, and what is not held has to come as a whole. */
function whatIsRead(held: Baseline | null, row: KnownRow | undefined): 'none' | 'newer' | 'whole' {
  if (!row?.traces) return 'none';
  return held ? 'newer' : 'whole';
}
