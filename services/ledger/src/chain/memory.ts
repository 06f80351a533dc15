import type { Environment } from '@countersign/kernel/environment';
import { type Head, headProblem } from './head.js';

/** A signed entry or its head was changed or removed. The builder then stops signing. */
export class LogWasChanged extends Error {
  constructor(problem: string) {
    super(`a signed part of the log was changed: ${problem}`);
    this.name = 'LogWasChanged';
  }
}

/** The fields that identify a head; the signature covers all others. */
export type SignedHead = Pick<Head, 'seq' | 'entryHash' | 'signature'>;

export interface HeadWithEntry extends Head {
  /** The hash that its entry has now; null if the entry does not exist. */
  currentHash: string | null;
}

interface Found {
  environment: Environment;
  /** The remembered head, as it is now in the database. */
  remembered: HeadWithEntry | null;
  /** The newest head, signed by this or by another replica. */
  newest: HeadWithEntry | null;
}

/**
 * The last head that a builder signed or read. It is deliberately kept only in memory: the owner
 * of the database could change anything that is stored there and recompute all hashes.
 */
export class HeadMemory {
  #last: SignedHead | null = null;
  #refusal: LogWasChanged | null = null;

  /** The number of the remembered head's entry; null if no head is remembered. */
  get seq(): string | null {
    return this.#last?.seq ?? null;
  }

  /** Throws after a change was detected, even if it has been undone. */
  assertUnchanged(): void {
    if (this.#refusal) throw this.#refusal;
  }

  /** Throws unless the remembered head is unchanged and the newest one verifies. */
  check(found: Found): void {
    const problem = this.#problem(found);
    if (problem !== null) this.#refusal = new LogWasChanged(problem);
    this.assertUnchanged();
  }

  remember(head: SignedHead | null): void {
    this.#last = head;
  }

  #problem({ environment, remembered, newest }: Found): string | null {
    const last = this.#last;
    if (last && remembered?.signature !== last.signature) {
      return `the signed head of entry ${last.seq} is missing or was changed`;
    }
    if (last && remembered?.currentHash !== last.entryHash) {
      return `the signed entry ${last.seq} is missing or was changed`;
    }
    if (!newest || newest.signature === last?.signature) return null;
    const problem = headProblem(newest, newest.currentHash, environment);
    return problem && `the head of entry ${newest.seq}: ${problem}`;
  }
}
