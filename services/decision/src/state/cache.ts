import type { Thresholds } from '@countersign/kernel/threshold';
import type { ResolvedThresholds } from '@countersign/kernel/trust';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import { Baseline, PastSpace, type TraceRow } from '../anomaly/baseline.js';
import type { ProfileFacts } from '../facts/shape.js';
import { asOverrides } from '../thresholds/store.js';
import {
  defaultThresholds,
  type Overrides,
  publicThresholds,
  resolveThresholds,
} from '../thresholds/table.js';

interface Content {
  thresholds: Thresholds;
  /** The same values by public name, for the rules of promotion. */
  resolved: ResolvedThresholds;
}

export interface HeldThresholds extends Content {
  version: number;
}

interface NewerTraces {
  /** The baseline to which the rows are added; null if the rows are complete. */
  held: Baseline | null;
  version: number;
  rows: readonly TraceRow[];
}

const maxPrincipals = 10_000;
const maxAgents = 20_000;
/** Nearly 5,000 agents with a full history, or 30,000 with twenty payments each. */
export const defaultHistoryMb = 64;
const megabyte = 1_000_000;
/** Distinct sets of overrides; most Principals of a Client share a few. */
const maxContents = 1_000;

const defaults: Content = {
  thresholds: defaultThresholds,
  resolved: publicThresholds(defaultThresholds),
};

/** The defaults, with the version that stands for "no row". */
export const noThresholds: HeldThresholds = { version: 0, ...defaults };

/**
 * Cache of thresholds, profiles and past payments, each with the version that this process last
 * read or wrote. It is never trusted by itself: readers have the database compare the version in
 * the same statement or transaction, so that content is transferred only when another replica has
 * changed it.
 */
export class StateCache {
  readonly #thresholds = new BoundedMap<string, HeldThresholds>(maxPrincipals);
  readonly #profiles = new BoundedMap<string, ProfileFacts>(maxAgents);
  readonly #baselines: BoundedMap<string, Baseline>;
  readonly #space = new PastSpace();
  readonly #contents = new BoundedMap<string, Content>(maxContents);

  constructor({ historyMb = defaultHistoryMb }: { historyMb?: number } = {}) {
    this.#baselines = new BoundedMap(historyMb * megabyte);
  }

  /** Null where they have not been read yet. */
  thresholdsOf(principalId: string): HeldThresholds | null {
    return this.#thresholds.get(principalId) ?? null;
  }

  profileOf(agentId: string): ProfileFacts | null {
    return this.#profiles.get(agentId) ?? null;
  }

  /** Caches and returns them; `overrides` is the JSON text of the row. */
  holdThresholds(principalId: string, version: number, overrides: string): HeldThresholds {
    const { thresholds, resolved } = this.#contentOf(overrides);
    const held = { version, thresholds, resolved };
    this.#thresholds.set(principalId, held);
    return held;
  }

  /** Notes that a read found no row; does not replace what was cached since. */
  holdNone(principalId: string): void {
    if (!this.#thresholds.get(principalId)) this.#thresholds.set(principalId, noThresholds);
  }

  holdProfile(agentId: string, profile: ProfileFacts): void {
    this.#profiles.set(agentId, profile);
  }

  /** Null where nothing is cached. The returned object grows in place. */
  baselineOf(agentId: string): Baseline | null {
    return this.#baselines.get(agentId) ?? null;
  }

  /** Adds the rows that came since the cached version. */
  holdTraces(agentId: string, { held, version, rows }: NewerTraces): Baseline {
    const known = this.#baselines.get(agentId);
    // Another read or update in this process has cached as much meanwhile.
    if (known && known.version >= version) return known;
    const baseline = held ?? new Baseline(this.#space);
    for (const row of rows) if (row.version > baseline.version) baseline.put(row);
    baseline.version = version;
    this.#baselines.set(agentId, baseline, baseline.weight);
    return baseline;
  }

  forgetTraces(agentId: string): void {
    this.#baselines.delete(agentId);
  }

  /** Principals with equal overrides share one table and everything computed from it. */
  #contentOf(overrides: string): Content {
    const known = this.#contents.get(overrides);
    if (known) return known;
    const content = contentOf(asOverrides(JSON.parse(overrides)));
    this.#contents.set(overrides, content);
    return content;
  }
}

function contentOf(overrides: Overrides): Content {
  if (Object.keys(overrides).length === 0) return defaults;
  const thresholds = resolveThresholds(overrides);
  return { thresholds, resolved: publicThresholds(thresholds) };
}
