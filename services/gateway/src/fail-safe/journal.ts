import { type Environment, environments } from '@countersign/kernel/environment';
import type { Logger } from '@countersign/runtime/log';
import type { Counter, Gauge, Metrics } from '@countersign/runtime/metrics';
import type { AuthorizeMessage } from '../messages/payment.js';
import { DurableLines } from './durable-lines.js';

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

export interface JournalOptions {
  path: string;
  log: Logger;
  /** Told how many answers were given and how many wait. */
  metrics?: Metrics;
  /** Bounds memory and disk during an outage; what does not fit is not answered with a decision. */
  maxBytes: number;
}

/** The file is compacted, dropping entries that are on record, once it is larger than this. */
const compactAboveBytes = 1024 * 1024;

/**
 * Keeps fail-safe answers on the gateway's own volume until the ledger has them on record. An entry
 * is on disk before it is answered and is removed only once it is acknowledged, so a crash at any
 * moment means at most that it is handed over again.
 */
export class FailSafeJournal {
  readonly #file: DurableLines;
  readonly #log: Logger;
  readonly #maxBytes: number;
  readonly #pending = new Map<string, FailSafeEntry>();
  readonly #byKey = new Map<string, FailSafeEntry>();
  readonly #byTransaction = new Map<string, FailSafeEntry>();
  readonly #answers: Counter<'environment'> | undefined;
  readonly #refused: Counter<'reason'> | undefined;
  readonly #waiting: Gauge | undefined;
  #onRecord: () => void = () => {};

  static async open(options: JournalOptions): Promise<FailSafeJournal> {
    const { file, lines } = await DurableLines.open(options.path);
    const journal = new FailSafeJournal(file, options);
    journal.#load(lines);
    return journal;
  }

  private constructor(file: DurableLines, options: JournalOptions) {
    this.#file = file;
    this.#log = options.log;
    this.#maxBytes = options.maxBytes;
    const { metrics } = options;
    this.#answers = metrics?.counter(
      'fail_safe_answers_total',
      'answers that were given to be safe',
      ['environment'],
    );
    // A counter that does not exist before its first event hides this event from an increase.
    for (const environment of environments) this.#answers?.inc({ environment }, 0);
    this.#refused = metrics?.counter(
      'fail_safe_refused_total',
      'answers that were not given, as the journal could not take them',
      ['reason'],
    );
    this.#waiting = metrics?.gauge('fail_safe_waiting', 'safe answers that are not on record yet');
  }

  /** How many answers wait to be put on record. */
  get waiting(): number {
    return this.#pending.size;
  }

  /** Called after every entry that came; one listener, the drainer. */
  set onRecord(listener: () => void) {
    this.#onRecord = listener;
  }

  /**
   * Resolves when the answer is on disk, rejects when that fails. A repeat of a key is recorded as
   * well, since another decision may have been committed under its own id.
   */
  async record(entry: FailSafeEntry): Promise<void> {
    const line = JSON.stringify({ put: entry });
    if (this.#file.size + Buffer.byteLength(line) > this.#maxBytes) {
      this.#refused?.inc({ reason: 'full' });
      throw new Error('the fail-safe journal is full');
    }
    try {
      await this.#file.append(line, () => this.#hold(entry));
    } catch (error) {
      this.#refused?.inc({ reason: 'unwritable' });
      throw error;
    }
    this.#answers?.inc({ environment: entry.environment });
    this.#waiting?.set(this.waiting);
    this.#onRecord();
  }

  /** The first answer given under a key, while the ledger does not have it. */
  find(keyScope: string): FailSafeEntry | undefined {
    return this.#byKey.get(keyScope);
  }

  /** An answer with this transaction id, while the ledger has none. */
  findTransaction(transactionId: string): FailSafeEntry | undefined {
    return this.#byTransaction.get(transactionId);
  }

  /** The oldest entries, at most `limit`. */
  oldest(limit: number): FailSafeEntry[] {
    const entries: FailSafeEntry[] = [];
    for (const entry of this.#pending.values()) {
      if (entries.length === limit) break;
      entries.push(entry);
    }
    return entries;
  }

  /** Moves an entry that could not be handed over behind the others. */
  defer(entry: FailSafeEntry): void {
    if (this.#pending.delete(entry.id)) this.#pending.set(entry.id, entry);
  }

  /** The entry is on record elsewhere. */
  async remove({ id }: Pick<FailSafeEntry, 'id'>): Promise<void> {
    if (!this.#letGo(id)) return;
    this.#waiting?.set(this.waiting);
    try {
      await this.#file.append(JSON.stringify({ done: id }));
    } catch (error) {
      // Nothing can be added to a full volume, and only a smaller file makes room on it again.
      if (await this.#compact()) return;
      throw error;
    }
    await this.#compact();
  }

  /** Entries that are left are found again at the next start. */
  close(): Promise<void> {
    return this.#file.close();
  }

  #load(lines: string[]): void {
    let unreadable = 0;
    for (const text of lines) {
      const line = parseLine(text);
      if (!line) unreadable += 1;
      else if ('put' in line) this.#hold(line.put);
      else this.#letGo(line.done);
    }
    this.#waiting?.set(this.waiting);
    if (unreadable > 0) this.#log.error({ unreadable }, 'the journal has unreadable lines');
    if (this.waiting > 0)
      this.#log.warn({ waiting: this.waiting }, 'fail-safe answers are waiting to be recorded');
  }

  #hold(entry: FailSafeEntry): void {
    const { id, keyScope } = entry;
    this.#pending.set(id, entry);
    if (keyScope !== null && !this.#byKey.has(keyScope)) this.#byKey.set(keyScope, entry);
    const transactionId = answeredTransaction(entry);
    if (!this.#byTransaction.has(transactionId)) this.#byTransaction.set(transactionId, entry);
  }

  /** False where it was removed before. */
  #letGo(id: string): boolean {
    const entry = this.#pending.get(id);
    if (!entry) return false;
    const { keyScope } = entry;
    if (keyScope !== null && this.find(keyScope)?.id === id) this.#byKey.delete(keyScope);
    // Other entries of the transaction may remain, but the ledger knows it from now on.
    this.#byTransaction.delete(answeredTransaction(entry));
    return this.#pending.delete(id);
  }

  /** True if the file holds what is waiting, and nothing else. */
  async #compact(): Promise<boolean> {
    if (this.waiting > 0 && this.#file.size < compactAboveBytes) return false;
    const entries = [...this.#pending.values()];
    const lines = entries.map((entry) => JSON.stringify({ put: entry }));
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
    // Compacting is not worth it while more than half of the file is still needed.
    if (bytes > this.#file.size / 2) return false;
    try {
      const still = () => [...this.#pending.values()].map((put) => JSON.stringify({ put }));
      return await this.#file.replace(still);
    } catch (err) {
      this.#log.warn({ err }, 'the journal was not compacted');
      return false;
    }
  }
}

/** The id that a payment was answered with: its own, or a new one. */
export function answeredTransaction({ request }: Pick<FailSafeEntry, 'request'>): string {
  return request.payment.transactionId ?? request.transactionId;
}

type Line = { put: FailSafeEntry } | { done: string };

function parseLine(text: string): Line | null {
  try {
    const line = JSON.parse(text) as Partial<{ put: FailSafeEntry; done: string }> | null;
    if (typeof line?.done === 'string') return { done: line.done };
    return typeof line?.put?.id === 'string' ? { put: line.put } : null;
  } catch {
    return null;
  }
}
