import type { Environment } from '@countersign/kernel/environment';
import { fnv1a } from '@countersign/kernel/fnv';

/** A power of two; half a megabyte. */
const slots = 1 << 17;
/** Another than that of the slot, so that keys of one slot have different marks. */
const markSeed = 0x2f0b4c47;

/**
 * Idempotency keys that were decided upon here of late, as marks of 32 bits, each in the slot that
 * its name has: a newer key takes the slot of an older one. A hint and no more, since it forgets,
 * takes one key in two billion for another, and knows nothing of other replicas: what is on record
 * the ledger says.
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

/** With the high bits, which have seen more of the text than the low ones. */
function slotOf(text: string): number {
  const value = fnv1a(text);
  return (value ^ (value >>> 15)) & (slots - 1);
}

/** Never 0, which is what an empty slot holds. */
function markOf(text: string): number {
  return (fnv1a(text, markSeed) | 1) >>> 0;
}
