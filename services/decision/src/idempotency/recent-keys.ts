import type { Environment } from '@countersign/kernel/environment';
import { fnv1a } from '@countersign/kernel/fnv';

/** A power of two; half a megabyte. */
const slots = 1 << 17;
/** Differs from the seed of the slot, so that keys that share a slot have different marks. */
const markSeed = 0x2f0b4c47;

/**
 * Idempotency keys that were recently decided here: a table of 32-bit fingerprints, in which a
 * newer key overwrites an older one of the same slot. Only a hint, since it forgets, has one false
 * positive in two billion, and knows nothing of other replicas. The ledger has the truth.
 */
export class RecentKeys {
  readonly #marks = new Uint32Array(slots);

  add(name: KeyName): void {
    const text = textOf(name);
    this.#marks[slotOf(text)] = markOf(text);
  }

  has(name: KeyName): boolean {
    const text = textOf(name);
    return this.#marks[slotOf(text)] === markOf(text);
  }
}

export interface KeyName {
  environment: Environment;
  clientId: string;
  idempotencyKey: string;
}

function textOf({ environment, clientId, idempotencyKey }: KeyName): string {
  return `${environment} ${clientId} ${idempotencyKey}`;
}

/** Uses the high bits, which are mixed better than the low ones. */
function slotOf(text: string): number {
  const value = fnv1a(text);
  return (value ^ (value >>> 15)) & (slots - 1);
}

/** Never 0, which is what an empty slot holds. */
function markOf(text: string): number {
  return (fnv1a(text, markSeed) | 1) >>> 0;
}
