import type { Environment } from '@countersign/kernel/environment';
import type { AuthorizeMessage } from '../messages/payment.js';

/** A fail-safe answer that was given and is not on record yet. */
export interface FailSafeEntry {
  /** The authorization id that was answered. */
  id: string;
  /** The idempotency key with its owner, see `keyScope`; null where none was sent. */
  keyScope: string | null;
  environment: Environment;
  requestId: string;
  request: AuthorizeMessage;
  answer: string;
  decidedAt: string;
}

/** The fail-safe answers that are not on record yet, oldest first, and how they are found. */
export class WaitingEntries {
  readonly #byId = new Map<string, FailSafeEntry>();
  readonly #byKey = new Map<string, FailSafeEntry>();
  readonly #byTransaction = new Map<string, FailSafeEntry>();
  readonly #bytesById = new Map<string, number>();
  #bytes = 0;

  get size(): number {
    return this.#byId.size;
  }

  /** What their lines in the file take, so that nobody has to render all of them to know it. */
  get bytes(): number {
    return this.#bytes;
  }

  get all(): FailSafeEntry[] {
    return [...this.#byId.values()];
  }

  hold(entry: FailSafeEntry, bytes: number): void {
    const { id, keyScope } = entry;
    this.#byId.set(id, entry);
    this.#bytes += bytes - (this.#bytesById.get(id) ?? 0);
    this.#bytesById.set(id, bytes);
    if (keyScope !== null && !this.#byKey.has(keyScope)) this.#byKey.set(keyScope, entry);
    const transactionId = answeredTransaction(entry);
    if (!this.#byTransaction.has(transactionId)) this.#byTransaction.set(transactionId, entry);
  }

  /** False where it was removed before. */
  letGo(id: string): boolean {
    const entry = this.#byId.get(id);
    if (!entry) return false;
    const { keyScope } = entry;
    if (keyScope !== null && this.find(keyScope)?.id === id) this.#byKey.delete(keyScope);
    // Other entries of the transaction may remain, but the ledger knows it from now on.
    this.#byTransaction.delete(answeredTransaction(entry));
    this.#bytes -= this.#bytesById.get(id) ?? 0;
    this.#bytesById.delete(id);
    return this.#byId.delete(id);
  }

  /** The first answer given under a key, while the ledger does not have it. */
  find(keyScope: string): FailSafeEntry | undefined {
    return this.#byKey.get(keyScope);
  }

  /** An answer with this transaction id, while the ledger has none. */
  findTransaction(transactionId: string): FailSafeEntry | undefined {
    return this.#byTransaction.get(transactionId);
  }

  /** The oldest entries of an environment, at most `limit`. */
  oldest(limit: number, environment: Environment): FailSafeEntry[] {
    const entries: FailSafeEntry[] = [];
    for (const entry of this.#byId.values()) {
      if (entries.length === limit) break;
      if (entry.environment === environment) entries.push(entry);
    }
    return entries;
  }

  /** Moves an entry that could not be handed over behind the others. */
  defer(entry: FailSafeEntry): void {
    if (this.#byId.delete(entry.id)) this.#byId.set(entry.id, entry);
  }
}

/** The id that a payment was answered with: its own, or a new one. */
export function answeredTransaction({ request }: Pick<FailSafeEntry, 'request'>): string {
  return request.payment.transactionId ?? request.transactionId;
}
