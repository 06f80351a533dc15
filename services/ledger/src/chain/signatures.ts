import type { Environment } from '@countersign/kernel/environment';
import { entriesAtOnce } from './extend.js';
import { type Head, headProblem } from './head.js';

/** Evidence about a log that was kept outside of its database. */
export interface KeptOutside {
  /** Heads: the hashes of entries by their numbers. */
  heads: ReadonlyMap<string, readonly string[]>;
  /** Thumbprints of the accepted signing keys; where none are given, all keys in the log are. */
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

/** The first bad entry, in the order of the log. */
export interface BadEntry {
  /** Null for a row that no entry covers. */
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

/** Verifies the heads of a log while it is walked entry by entry. */
export class Signatures {
  readonly kids = new Set<string>();
  count = 0;
  last: Head | null = null;
  /** The first entry that is too much later than the last head. */
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
    // Tolerated within one transaction's entries, which are added before they are signed.
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

/** For a head whose entry no longer exists. */
export function cutOff(lastSeq: string, headSeq: string): BadEntry {
  const problem = `entries up to ${headSeq} were signed, and those after ${lastSeq} are gone`;
  return { seq: String(BigInt(lastSeq) + 1n), kind: 'chain_entry', ref: 'unknown', problem };
}

function nameOf({ seq, kind, ref }: Walked): Omit<BadEntry, 'problem'> {
  return { seq, kind, ref };
}
