import type { Environment } from '@countersign/kernel/environment';
import { entriesAtOnce } from './extend.js';
import { type Head, headProblem } from './head.js';

/** What is known of a log from outside its database. */
export interface KeptOutside {
  /** Heads that were kept elsewhere: the hashes of entries by their numbers. */
  heads: ReadonlyMap<string, readonly string[]>;
  /** The keys that may have signed, by their thumbprints; if none are given, any of the log may. */
  kids: readonly string[];
}

/** An entry that verifies, and when its row was written. */
export interface Walked {
  seq: string;
  kind: string;
  ref: string;
  entryHash: string;
  at: number;
}

/** The first thing that is wrong, in the order of the log. */
export interface BadEntry {
  /** Null where it is no entry but a row that none covers. */
  seq: string | null;
  kind: string;
  ref: string;
  problem: string;
}

/**
 * How much later than the last head a row may have been written without a head of its own. Heads
 * are a minute apart, and whoever adds entries when one is due signs it in the same transaction;
 * the rest is for clocks that differ. Measured by the times in the log and not by the time now: a
 * copy that is verified years later, a standby that lags and a ledger that was stopped are well.
 */
const unsignedMs = 5 * 60_000;

/** Goes along a log, entry by entry, and judges what was signed of it. */
export class Signatures {
  readonly kids = new Set<string>();
  count = 0;
  last: Head | null = null;
  /** The first entry since the last head that should have had a head before it. */
  #late: Walked | null = null;
  readonly #environment: Environment;
  readonly #kept: KeptOutside;

  constructor(environment: Environment, kept: KeptOutside) {
    this.#environment = environment;
    this.#kept = kept;
  }

  pass(entry: Walked, head: Head | undefined): BadEntry | null {
    const problem = this.#keptProblem(entry, head) ?? (head ? this.#problem(entry, head) : null);
    if (problem !== null) return { ...nameOf(entry), problem };
    if (!this.last || entry.at > this.last.signedAt.getTime() + unsignedMs) this.#late ??= entry;
    if (!head) return null;
    const late = this.#late;
    // The transaction that signs may have added all that it could.
    if (late && BigInt(entry.seq) - BigInt(late.seq) >= BigInt(entriesAtOnce)) {
      return { ...nameOf(late), problem: `no head was signed of it, up to that of ${entry.seq}` };
    }
    this.count += 1;
    this.kids.add(head.kid);
    this.last = head;
    this.#late = null;
    return null;
  }

  /** After the last entry. `signing` says whether the log has keys to sign with. */
  end(lastSeq: string, signing: boolean): BadEntry | null {
    const { heads, kids } = this.#kept;
    const gone = [...heads.keys()].find((seq) => BigInt(seq) > BigInt(lastSeq));
    if (gone !== undefined) return cutOff(lastSeq, gone);
    const signed = signing || this.count > 0 || heads.size > 0 || kids.length > 0;
    if (!this.#late || !signed) return null;
    const since = this.last ? `since that of ${this.last.seq}` : 'at all';
    return { ...nameOf(this.#late), problem: `no head is signed of it, and none ${since}` };
  }

  #keptProblem({ seq, entryHash }: Walked, head: Head | undefined): string | null {
    const kept = this.#kept.heads.get(seq) ?? [];
    const other = kept.find((hash) => hash !== entryHash);
    if (other) return `the head that was kept of it has ${other}, it has ${entryHash}`;
    return kept.length > 0 && !head ? 'a head was kept of it, and its signed head is gone' : null;
  }

  #problem({ entryHash }: Walked, head: Head): string | null {
    const { kids } = this.#kept;
    if (kids.length > 0 && !kids.includes(head.kid)) {
      return `the key ${head.kid} that signed it is none of those that were given`;
    }
    return headProblem(head, entryHash, this.#environment);
  }
}

/** A head of an entry that is not there any more. */
export function cutOff(lastSeq: string, headSeq: string): BadEntry {
  const problem = `entries up to ${headSeq} were signed, and those after ${lastSeq} are gone`;
  return { seq: String(BigInt(lastSeq) + 1n), kind: 'chain_entry', ref: 'unknown', problem };
}

function nameOf({ seq, kind, ref }: Walked): Omit<BadEntry, 'problem'> {
  return { seq, kind, ref };
}
