import type { LogEntry } from '@countersign/sdk';
import { onRecord, type Standing } from './standing.js';

/** More than are waiting for their void at any time; beyond it the oldest are forgotten. */
const maxDeclines = 1_000;

/**
 * Declines that the service has answered. An approval may be committed although the service could
 * not learn of it in time and declined. It is voided afterwards, but until then the log shows an
 * approval that nobody may use: what was answered counts.
 */
export class Declines {
  readonly #answered = new Map<string, Standing>();

  add(decline: Standing): void {
    this.#answered.delete(decline.authorizationId);
    this.#answered.set(decline.authorizationId, decline);
    for (const oldest of this.#answered.keys()) {
      if (this.#answered.size <= maxDeclines) return;
      this.#answered.delete(oldest);
    }
  }

  /** The decline that was answered, if the record says otherwise. */
  overruling({ id, decision }: LogEntry): Standing | null {
    return decision === 'DECLINE' ? null : (this.#answered.get(id) ?? null);
  }

  standingOf(entry: LogEntry): Standing {
    return this.overruling(entry) ?? onRecord(entry);
  }
}
