import { environments } from '@countersign/kernel/environment';
import type { Logger } from '@countersign/runtime/log';
import type { Counter, Gauge, Metrics } from '@countersign/runtime/metrics';
import { DurableLines } from './durable-lines.js';
import { endsWithin } from './ends-within.js';
import { type FailSafeEntry, WaitingEntries } from './waiting-entries.js';

/** What can be asked of the answers that wait; only the journal adds and removes them. */
type WaitingAnswers = Omit<WaitingEntries, 'hold' | 'letGo' | 'bytes'>;

interface JournalOptions {
  path: string;
  log: Logger;
  /** Told how many answers were given and how many wait. */
  metrics: Metrics;
  /** Bounds memory and disk during an outage; what does not fit is not answered with a decision. */
  maxBytes: number;
  /** After this the volume counts as unwritable. */
  silentAfterMs?: number;
}

/** Well above a slow fsync, and little beside the deadline of a payment. */
const silentAfterMs = 1_000;

const silence = 'the volume of the fail-safe journal does not answer';

/** The file is compacted, dropping entries that are on record, once it is larger than this. */
const compactAboveBytes = 1024 * 1024;

/**
 * Keeps fail-safe answers on the gateway's own volume until the ledger has them on record. An entry
 * is on disk before it is answered, and leaves once it is acknowledged or refused: a crash at any
 * moment means at most that it is handed over again.
 */
export class FailSafeJournal {
  readonly #file: DurableLines;
  readonly #log: Logger;
  readonly #maxBytes: number;
  readonly #silentAfterMs: number;
  /** Lines that were given up and may still be written. */
  #overdue = 0;
  readonly #entries = new WaitingEntries();
  readonly #answers: Counter<'environment'>;
  readonly #refused: Counter<'reason'>;
  readonly #waiting: Gauge;
  #onRecord: (entry: FailSafeEntry) => void = () => {};

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
    this.#silentAfterMs = options.silentAfterMs ?? silentAfterMs;
    const { metrics } = options;
    this.#answers = metrics.counter(
      'fail_safe_answers_total',
      'answers that were given to be safe',
      ['environment'],
    );
    // A counter that does not exist before its first event hides this event from an increase.
    for (const environment of environments) this.#answers.inc({ environment }, 0);
    this.#refused = metrics.counter(
      'fail_safe_refused_total',
      'answers that were not given, as the journal could not take them',
      ['reason'],
    );
    for (const reason of ['full', 'unwritable']) this.#refused.inc({ reason }, 0);
    this.#waiting = metrics.gauge('fail_safe_waiting', 'safe answers that are not on record yet');
  }

  /** Answers that wait to be put on record. */
  get waiting(): WaitingAnswers {
    return this.#entries;
  }

  /** Called after every entry that came; one listener, the drainer. */
  set onRecord(listener: (entry: FailSafeEntry) => void) {
    this.#onRecord = listener;
  }

  /**
   * Resolves when the answer is on disk, rejects when that fails. A repeat of a key is recorded as
   * well, since another decision may have been committed under its own id.
   */
  async record(entry: FailSafeEntry): Promise<void> {
    const line = JSON.stringify({ put: entry });
    // With its line break it must still fit.
    if (this.#file.size + Buffer.byteLength(line) >= this.#maxBytes) {
      this.#refused.inc({ reason: 'full' });
      throw new Error('the fail-safe journal is full');
    }
    try {
      await this.#take(entry, line);
    } catch (error) {
      this.#refused.inc({ reason: 'unwritable' });
      throw error;
    }
    this.#answers.inc({ environment: entry.environment });
    this.#waiting.set(this.#entries.size);
    this.#onRecord(entry);
  }

  /** The entry is on record elsewhere. */
  async remove({ id }: Pick<FailSafeEntry, 'id'>): Promise<void> {
    if (!this.#entries.letGo(id)) return;
    this.#waiting.set(this.#entries.size);
    await this.#strike(id);
  }

  /**
   * A volume that falls silent, such as a network disk that is away, is given up like a broken one,
   * for its caller has a deadline. An entry that is written after all is struck out: its key may
   * have been answered otherwise by then.
   */
  async #take(entry: FailSafeEntry, line: string): Promise<void> {
    // Nor does anything queue up behind a line that was given up.
    if (this.#overdue > 0) throw new Error(silence);
    let isAwaited = true;
    const written = this.#file.append(line, () => {
      if (isAwaited) this.#entries.hold(entry, Buffer.byteLength(line));
    });
    if (await endsWithin(written, this.#silentAfterMs)) return written;
    isAwaited = false;
    this.#overdue += 1;
    written
      .then(() => this.#strike(entry.id))
      .catch((err: unknown) => this.#log.warn({ err }, 'a line that was given up has failed'))
      .finally(() => {
        this.#overdue -= 1;
      });
    throw new Error(silence);
  }

  async #strike(id: string): Promise<void> {
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
      else if ('put' in line) this.#entries.hold(line.put, Buffer.byteLength(text));
      else this.#entries.letGo(line.done);
    }
    this.#waiting.set(this.#entries.size);
    if (unreadable > 0) this.#log.error({ unreadable }, 'the journal has unreadable lines');
    const waiting = this.#entries.size;
    if (waiting > 0) this.#log.warn({ waiting }, 'fail-safe answers are waiting to be recorded');
  }

  /** True if the file holds what is waiting, and nothing else. */
  async #compact(): Promise<boolean> {
    if (this.#entries.size > 0 && this.#file.size < compactAboveBytes) return false;
    // Compacting is not worth it while more than half of the file is still needed.
    if (this.#entries.bytes > this.#file.size / 2) return false;
    try {
      return await this.#file.replace(() =>
        this.#entries.all.map((entry) => JSON.stringify({ put: entry })),
      );
    } catch (err) {
      this.#log.warn({ err }, 'the journal was not compacted');
      return false;
    }
  }
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
