import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { Pool } from '@countersign/runtime/database';
import type { Metrics } from '@countersign/runtime/metrics';
import { Pace } from '@countersign/runtime/pace';
import type { ProfileFacts } from './facts-shape.js';
import type { ProfileState } from './profile/state.js';
import { knownSql } from './sql.js';
import { asOverrides } from './thresholds/store.js';
import { defaultThresholds, resolveThresholds, type Thresholds } from './thresholds/table.js';

export interface Known {
  thresholds: Thresholds;
  profile: ProfileFacts | null;
}

interface Asked {
  principalId: string;
  agentId: string;
}

interface VersionedThresholds {
  version: number;
  thresholds: Thresholds;
}

interface Waiting extends Asked {
  /** What this process has already, for the case that it is still the newest. */
  held: { thresholds: VersionedThresholds; profile: ProfileFacts | null };
  found: (known: Known) => void;
  failed: (error: unknown) => void;
}

interface KnownRow {
  thresholds_version: number | null;
  /** Null where the version is the one that was held. */
  overrides: unknown;
  profile_version: number | null;
  state: ProfileState | null;
}

const maxGroup = 128;
/** A read for one costs nearly what it costs for ten, so groups begin a little apart. */
const everyMs = 3;
/** So many that nothing is gained by waiting for more. */
const enough = 32;
const maxPrincipals = 10_000;
const maxAgents = 20_000;
/** A row begins with version 1, so none has this one. */
const noThresholds: VersionedThresholds = { version: 0, thresholds: defaultThresholds };

/**
 * Reads what is known of a Principal and an agent, for all decisions that ask at the same time in
 * one statement: a group is what queued while the previous one was read. So a burst needs one
 * connection, not one for each decision, and an idle service adds no delay. Content is kept here
 * and only its version is asked for, so it is never old and rarely sent.
 */
export class KnownReader {
  readonly #pool: Pool;
  readonly #metrics: Metrics;
  readonly #thresholds = new BoundedMap<string, VersionedThresholds>(maxPrincipals);
  readonly #profiles = new BoundedMap<string, ProfileFacts>(maxAgents);
  #queue: Waiting[] = [];
  #reading = false;
  readonly #pace = new Pace({ everyMs, enough });

  constructor({ pool, metrics }: { pool: Pool; metrics: Metrics }) {
    this.#pool = pool;
    this.#metrics = metrics;
  }

  /** Every decision has a deadline of its own and so bounds how much can queue here. */
  read({ principalId, agentId }: Asked): Promise<Known> {
    const held = {
      thresholds: this.#thresholds.get(principalId) ?? noThresholds,
      profile: this.#profiles.get(agentId) ?? null,
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
          group.map(({ principalId }) => principalId),
          group.map(({ agentId }) => agentId),
          group.map(({ held }) => held.thresholds.version),
          group.map(({ held }) => held.profile?.version ?? 0),
        ],
      });
      for (const [index, waiting] of group.entries()) {
        waiting.found(this.#merge(waiting, rows[index]));
      }
    } catch (error) {
      for (const { failed } of group) failed(error);
    }
  }

  #merge({ principalId, agentId, held }: Waiting, row: KnownRow | undefined): Known {
    let { thresholds, profile } = held;
    if (row?.overrides) {
      const resolved = resolveThresholds(asOverrides(row.overrides));
      thresholds = { version: row.thresholds_version ?? 0, thresholds: resolved };
      this.#thresholds.set(principalId, thresholds);
    }
    if (row?.state) {
      profile = { version: row.profile_version ?? 0, state: row.state };
      this.#profiles.set(agentId, profile);
    }
    return { thresholds: thresholds.thresholds, profile };
  }
}
