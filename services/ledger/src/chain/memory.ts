import type { Environment } from '@countersign/kernel/environment';
import { type Head, headProblem } from './head.js';

/** What was signed is no longer what stands there: nothing more is signed over it. */
export class LogWasChanged extends Error {
  constructor(problem: string) {
    super(`the log was changed behind its builder: ${problem}`);
    this.name = 'LogWasChanged';
  }
}

/** What there is to know of a head again: its signature is over all else. */
export type SignedHead = Pick<Head, 'seq' | 'entryHash' | 'signature'>;

/** A head, and the hash of the entry of its number; null where there is none. */
export interface StandingHead extends Head {
  standing: string | null;
}

interface Found {
  environment: Environment;
  /** What the database has now of the head that is remembered. */
  known: StandingHead | null;
  /** Of this process or of another replica. */
  newest: StandingHead | null;
}

/**
 * The last head that a builder signed or saw. It is in memory and nowhere else on purpose: whoever
 * owns the database can change all that is kept there, and the hashes need no key.
 */
export class HeadMemory {
  #last: SignedHead | null = null;
  #refusal: LogWasChanged | null = null;

  /** Of the entry whose head is remembered; null where none is. */
  get seq(): string | null {
    return this.#last?.seq ?? null;
  }

  /** Throws for ever after a change was seen: undone, it would still have been made. */
  assertUnchanged(): void {
    if (this.#refusal) throw this.#refusal;
  }

  /** Throws unless the remembered head stands as it did, and the newest is good. */
  check(found: Found): void {
    const problem = this.#problem(found);
    if (problem !== null) this.#refusal = new LogWasChanged(problem);
    this.assertUnchanged();
  }

  remember(head: SignedHead | null): void {
    this.#last = head;
  }

  #problem({ environment, known, newest }: Found): string | null {
    const last = this.#last;
    if (last && known?.signature !== last.signature) {
      return `the signed head of entry ${last.seq} is gone or another`;
    }
    if (last && known?.standing !== last.entryHash) {
      return `entry ${last.seq}, which was signed, is gone or another`;
    }
    if (!newest || newest.signature === last?.signature) return null;
    const problem = headProblem(newest, newest.standing, environment);
    return problem && `the head of entry ${newest.seq}: ${problem}`;
  }
}
