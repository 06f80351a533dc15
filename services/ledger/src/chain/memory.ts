import type { Environment } from '@countersign/kernel/environment';
import { type Head, headProblem } from './head.js';

/** A signed entry or its head has been changed or removed: the builder signs nothing more. */
export class LogWasChanged extends Error {
  constructor(problem: string) {
    super(`the log was changed behind its builder: ${problem}`);
    this.name = 'LogWasChanged';
  }
}

/** What identifies a head; its signature covers everything else. */
export type SignedHead = Pick<Head, 'seq' | 'entryHash' | 'signature'>;

/** A head, with the hash that the entry of its number has now; null where there is none. */
export interface StandingHead extends Head {
  standing: string | null;
}

interface Found {
  environment: Environment;
  /** The remembered head as the database has it now. */
  known: StandingHead | null;
  /** The newest head, signed by this or by another replica. */
  newest: StandingHead | null;
}

/**
 * The last head that a builder signed or read. Kept in memory alone on purpose: the owner of the
 * database could change anything stored there, and compute all hashes anew.
 */
export class HeadMemory {
  #last: SignedHead | null = null;
  #refusal: LogWasChanged | null = null;

  /** Of the entry whose head is remembered; null where none is. */
  get seq(): string | null {
    return this.#last?.seq ?? null;
  }

  /** Throws from the first detected change on, even if that is undone later. */
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
