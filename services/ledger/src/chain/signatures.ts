import type { Environment } from '@countersign/kernel/environment';
import { entriesAtOnce } from './extend.js';
import { type Head, headProblem } from './head.js';

/** Evidence about a log that was kept outside its database. */
export interface ExternalEvidence {
  /** Kept heads: entry hashes by entry number. */
  heads: ReadonlyMap<string, readonly string[]>;
  /** Thumbprints of the accepted signing keys; if empty, all keys in the log are accepted. */
  kids: readonly string[];
}

/** A verified entry, with the time at which its row was written. */
interface VerifiedEntry {
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
 * Maximum time between the last head and a later entry. Heads are a minute apart, and a head that
 * is due is signed in the transaction that adds the entries; the rest allows for differences of
 * clocks. It is measured by the times in the log and not by the current time, so that an old copy,
 * a lagging standby and the log of a stopped ledger are valid.
 */
const unsignedMs = 5 * 60_000;
const dayMs = 24 * 3_600_000;

/** Verifies the heads of a log, entry by entry. */
export class Signatures {
  readonly kids = new Set<string>();
  count = 0;
  last: Head | null = null;
  /** The first entry that is too late after the last head. */
  #late: VerifiedEntry | null = null;
  readonly #environment: Environment;
  readonly #kept: ExternalEvidence;

  constructor(environment: Environment, kept: ExternalEvidence) {
    this.#environment = environment;
    this.#kept = kept;
  }

  pass(entry: VerifiedEntry, head: Head | undefined): BadEntry | null {
    const problem = this.#keptProblem(entry, head) ?? (head ? this.#problem(entry, head) : null);
    if (problem !== null) return { ...nameOf(entry), problem };
    if (!this.last || isLateAfter(this.last, entry)) this.#late ??= entry;
    if (!head) return null;
    const late = this.#late;
    // Entries of one transaction are tolerated, as they are added before the head is signed.
    if (late && BigInt(entry.seq) - BigInt(late.seq) >= BigInt(entriesAtOnce)) {
      return {
        ...nameOf(late),
        problem: `it has no signed head before that of entry ${entry.seq}`,
      };
    }
    this.count += 1;
    this.kids.add(head.kid);
    this.last = head;
    this.#late = null;
    return null;
  }

  /** Called after the last entry. `signing`: whether the log contains a signing key. */
  end(lastSeq: string, signing: boolean): BadEntry | null {
    const { heads, kids } = this.#kept;
    const missing = [...heads.keys()].find((seq) => BigInt(seq) > BigInt(lastSeq));
    if (missing !== undefined) return truncation(lastSeq, missing);
    if (!this.#late || !(signing || kids.length > 0)) return null;
    const last = this.last ? `the last one is of entry ${this.last.seq}` : 'there is none at all';
    return { ...nameOf(this.#late), problem: `it has no signed head: ${last}` };
  }

  #keptProblem({ seq, entryHash }: VerifiedEntry, head: Head | undefined): string | null {
    const kept = this.#kept.heads.get(seq) ?? [];
    const other = kept.find((hash) => hash !== entryHash);
    if (other) return `its kept head has the hash ${other}, but its hash is ${entryHash}`;
    return kept.length > 0 && !head ? 'it has a kept head, but its signed head is missing' : null;
  }

  #problem({ entryHash }: VerifiedEntry, head: Head): string | null {
    const { kids } = this.#kept;
    if (kids.length > 0 && !kids.includes(head.kid)) {
      return `it was signed with the key ${head.kid}, which is not one of the given keys`;
    }
    return headProblem(head, entryHash, this.#environment);
  }
}

/**
 * The first moment of a day says nothing: what a mandate pays after its windows were opened by a
 * clock that was ahead is recorded with that of the open day, which may be weeks away.
 */
function isLateAfter(head: Head, { at }: VerifiedEntry): boolean {
  return at > head.signedAt.getTime() + unsignedMs && at % dayMs !== 0;
}

/** The problem of a head whose entry no longer exists. */
export function truncation(lastSeq: string, headSeq: string): BadEntry {
  const problem = `entries up to ${headSeq} were signed, but those after ${lastSeq} are missing`;
  return { seq: String(BigInt(lastSeq) + 1n), kind: 'chain_entry', ref: 'unknown', problem };
}

function nameOf({ seq, kind, ref }: VerifiedEntry): Omit<BadEntry, 'problem'> {
  return { seq, kind, ref };
}
