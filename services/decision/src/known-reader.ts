import type { Pool } from '@countersign/runtime/database';
import type { Metrics } from '@countersign/runtime/metrics';
import type { ProfileFacts } from './facts-shape.js';
import type { ProfileState } from './profile/state.js';
import { knownSql } from './sql.js';
import { asOverrides } from './thresholds/store.js';
import type { Overrides } from './thresholds/table.js';

export interface Known {
  overrides: Overrides;
  profile: ProfileFacts | null;
}

interface Asked {
  principalId: string;
  agentId: string;
}

interface Waiting extends Asked {
  found: (known: Known) => void;
  failed: (error: unknown) => void;
}

interface KnownRow {
  overrides: unknown;
  profile_version: number | null;
  profile_state: ProfileState | null;
}

const maxGroup = 128;

/**
 * Reads what is known of a Principal and an agent, for all decisions that ask at the same time in
 * one statement: a group is what queued while the previous one was read. So a burst needs one
 * connection, not one for each decision, and an idle service adds no delay.
 */
export class KnownReader {
  readonly #pool: Pool;
  readonly #metrics: Metrics;
  #queue: Waiting[] = [];
  #reading = false;

  constructor({ pool, metrics }: { pool: Pool; metrics: Metrics }) {
    this.#pool = pool;
    this.#metrics = metrics;
  }

  /** Every decision has a deadline of its own and so bounds how much can queue here. */
  read(asked: Asked): Promise<Known> {
    return new Promise((found, failed) => {
      this.#queue.push({ ...asked, found, failed });
      if (!this.#reading) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#reading = true;
    // Whoever asks in this same turn belongs to the first group.
    await Promise.resolve();
    while (this.#queue.length > 0) await this.#readGroup(this.#queue.splice(0, maxGroup));
    this.#reading = false;
  }

  async #readGroup(group: Waiting[]): Promise<void> {
    try {
      this.#metrics.roundTrip('postgres');
      const { rows } = await this.#pool.query<KnownRow>({
        ...knownSql,
        values: [group.map(({ principalId }) => principalId), group.map(({ agentId }) => agentId)],
      });
      for (const [index, { found }] of group.entries()) found(toKnown(rows[index]));
    } catch (error) {
      for (const { failed } of group) failed(error);
    }
  }
}

function toKnown(row: KnownRow | undefined): Known {
  const { profile_version: version, profile_state: state } = row ?? {};
  return {
    overrides: asOverrides(row?.overrides),
    profile: state ? { version: version ?? 0, state } : null,
  };
}
