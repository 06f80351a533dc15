import type { ResolvedThresholds } from '@countersign/kernel/trust';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { ProfileFacts } from './facts-shape.js';
import { asOverrides } from './thresholds/store.js';
import {
  defaultThresholds,
  type Overrides,
  publicThresholds,
  resolveThresholds,
  type Thresholds,
} from './thresholds/table.js';

export interface HeldThresholds {
  version: number;
  thresholds: Thresholds;
  /** The same by public name, as promotion asks for them. */
  resolved: ResolvedThresholds;
}

const maxPrincipals = 10_000;
const maxAgents = 20_000;

const defaultsResolved = publicThresholds(defaultThresholds);

/** A row begins with version 1, so none has this one. */
export const noThresholds = heldThresholds(0, {});

/**
 * Thresholds and profiles as this process last read or wrote them, each with its version. Nobody
 * believes it unasked: who uses it has the database compare the version in the same transaction or
 * statement, so content travels only when somebody else was the last to write it.
 */
export class KnownMemory {
  readonly #thresholds = new BoundedMap<string, HeldThresholds>(maxPrincipals);
  readonly #profiles = new BoundedMap<string, ProfileFacts>(maxAgents);

  thresholdsOf(principalId: string): HeldThresholds {
    return this.#thresholds.get(principalId) ?? noThresholds;
  }

  profileOf(agentId: string): ProfileFacts | null {
    return this.#profiles.get(agentId) ?? null;
  }

  /** Returns what is now held; `overrides` as their row has them. */
  holdThresholds(principalId: string, version: number, overrides: unknown): HeldThresholds {
    const held = heldThresholds(version, asOverrides(overrides));
    this.#thresholds.set(principalId, held);
    return held;
  }

  holdProfile(agentId: string, profile: ProfileFacts): void {
    this.#profiles.set(agentId, profile);
  }
}

/** Most Principals set nothing: they share one table. */
function heldThresholds(version: number, overrides: Overrides): HeldThresholds {
  if (Object.keys(overrides).length === 0) {
    return { version, thresholds: defaultThresholds, resolved: defaultsResolved };
  }
  const thresholds = resolveThresholds(overrides);
  return { version, thresholds, resolved: publicThresholds(thresholds) };
}
