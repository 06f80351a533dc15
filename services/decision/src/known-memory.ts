import type { ResolvedThresholds } from '@countersign/kernel/trust';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import { Baseline, PastSpace, type TraceRow } from './anomaly/baseline.js';
import type { ProfileFacts } from './facts-shape.js';
import { asOverrides } from './thresholds/store.js';
import {
  defaultThresholds,
  type Overrides,
  publicThresholds,
  resolveThresholds,
  type Thresholds,
} from './thresholds/table.js';

interface Content {
  thresholds: Thresholds;
  /** The same by public name, as promotion asks for them. */
  resolved: ResolvedThresholds;
}

export interface HeldThresholds extends Content {
  version: number;
}

export interface NewerTraces {
  /** What the rows come on top of; null where they are all there is. */
  held: Baseline | null;
  version: number;
  rows: readonly TraceRow[];
}

const maxPrincipals = 10_000;
const maxAgents = 20_000;
/** Nearly 5,000 agents with a full past, or 30,000 that have paid twenty times. */
export const usualHistoryMb = 64;
const megabyte = 1_000_000;
/** Different tables; most Principals of a Client have one of a few. */
const maxContents = 1_000;

const defaults: Content = {
  thresholds: defaultThresholds,
  resolved: publicThresholds(defaultThresholds),
};

/** A row begins with version 1, so none has this one. */
export const noThresholds: HeldThresholds = { version: 0, ...defaults };
/** The same for a Principal of whom it is known that there is no row. */
const noneSet: HeldThresholds = { ...noThresholds };

/**
 * Thresholds and profiles as this process last read or wrote them, each with its version. Nobody
 * believes it unasked: who uses it has the database compare the version in the same transaction or
 * statement, so content travels only when somebody else was the last to write it.
 */
export class KnownMemory {
  readonly #thresholds = new BoundedMap<string, HeldThresholds>(maxPrincipals);
  readonly #profiles = new BoundedMap<string, ProfileFacts>(maxAgents);
  readonly #baselines: BoundedMap<string, Baseline>;
  readonly #space = new PastSpace();
  readonly #contents = new BoundedMap<string, Content>(maxContents);

  constructor({ historyMb = usualHistoryMb }: { historyMb?: number } = {}) {
    this.#baselines = new BoundedMap(historyMb * megabyte);
  }

  thresholdsOf(principalId: string): HeldThresholds {
    return this.#thresholds.get(principalId) ?? noThresholds;
  }

  /** The same; null where nobody has looked yet. */
  knownThresholdsOf(principalId: string): Thresholds | null {
    return this.#thresholds.get(principalId)?.thresholds ?? null;
  }

  profileOf(agentId: string): ProfileFacts | null {
    return this.#profiles.get(agentId) ?? null;
  }

  /** Returns what is now held; `overrides` as the text of their row. */
  holdThresholds(principalId: string, version: number, overrides: string): HeldThresholds {
    const { thresholds, resolved } = this.#contentOf(overrides);
    const held = { version, thresholds, resolved };
    this.#thresholds.set(principalId, held);
    return held;
  }

  /** Somebody looked, and the Principal had set nothing; what came into memory since is newer. */
  holdNone(principalId: string): void {
    if (!this.#thresholds.get(principalId)) this.#thresholds.set(principalId, noneSet);
  }

  holdProfile(agentId: string, profile: ProfileFacts): void {
    this.#profiles.set(agentId, profile);
  }

  /** Null where nothing is held; what is held grows in place. */
  baselineOf(agentId: string): Baseline | null {
    return this.#baselines.get(agentId) ?? null;
  }

  /** What is known as of a later version: all rows that came since the one that is held. */
  holdTraces(agentId: string, { held, version, rows }: NewerTraces): Baseline {
    const known = this.#baselines.get(agentId);
    // Meanwhile somebody else read or learnt as much.
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

  /** Principals that have set the same share one table, and all that is computed from it. */
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
