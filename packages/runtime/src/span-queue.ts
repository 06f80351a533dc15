import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import { withDeadline } from './deadline.js';
import type { Logger } from './log.js';
import type { Metrics } from './metrics.js';

export interface SpanQueueOptions {
  exporter: SpanExporter;
  metrics: Metrics;
  log: Logger;
  /** The longest that one export is waited for. */
  sendMs?: number;
  /** The most spans that wait; what comes beyond is thrown away and counted. */
  maxWaiting?: number;
}

const maxWaiting = 2_048;
const maxTogether = 512;
const everyMs = 1_000;
/** What is left at a shutdown is worth this much of its ten seconds. */
const lastSendMs = 2_000;
/** A little more than the exporter takes: its own time begins once it is connected. */
const maxSendMs = 12_000;

/**
 * Keeps what has ended until the collector has it. The library's own queue does the same without
 * telling what it threw away. One export is under way at a time, so a collector that hangs costs
 * memory for one batch and one queue, and whoever ends a span never waits.
 */
export class SpanQueue implements SpanProcessor {
  readonly #exporter: SpanExporter;
  readonly #log: Logger;
  readonly #most: number;
  readonly #sendMs: number;
  readonly #count: (outcome: 'sent' | 'queue_full' | 'not_taken', spans: number) => void;
  #waiting: ReadableSpan[] = [];
  #sending: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #away = false;
  #closed = false;

  constructor({ exporter, metrics, log, ...bounds }: SpanQueueOptions) {
    this.#exporter = exporter;
    this.#log = log;
    this.#most = bounds.maxWaiting ?? maxWaiting;
    this.#sendMs = bounds.sendMs ?? maxSendMs;
    const spans = metrics.counter('trace_spans_total', 'spans, by what became of them', [
      'outcome',
    ]);
    this.#count = (outcome, count) => spans.inc({ outcome }, count);
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#closed || this.#waiting.length >= this.#most) {
      this.#count(this.#closed ? 'not_taken' : 'queue_full', 1);
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= maxTogether) void this.forceFlush();
    else this.#timer ??= setTimeout(() => void this.forceFlush(), everyMs).unref();
  }

  forceFlush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  /** Sends what waits, for as long as there is time for it. */
  async shutdown(): Promise<void> {
    const last = this.forceFlush().then(() => this.forceFlush());
    // Its time is up: what waits is counted as not taken, and nothing else is held up by it.
    await withDeadline(last, { ms: lastSendMs, what: 'the collector' }).catch(() => {});
    this.#closed = true;
    this.#count('not_taken', this.#waiting.splice(0).length);
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#closed) {
      if (this.#timer) clearTimeout(this.#timer);
      this.#timer = null;
      const batch = this.#waiting.splice(0, maxTogether);
      const refusal = await this.#send(batch);
      this.#count(refusal === null ? 'sent' : 'not_taken', batch.length);
      this.#tell(refusal);
    }
  }

  /** Null where they were taken, else why not, in a word. */
  #send(batch: ReadableSpan[]): Promise<string | null> {
    const sending = new Promise<string | null>((resolve) => {
      this.#exporter.export(batch, ({ code, error }) =>
        resolve(code === ExportResultCode.SUCCESS ? null : wordOf(error)),
      );
    });
    return withDeadline(sending, { ms: this.#sendMs, what: 'the collector' }).catch(wordOf);
  }

  /** Once when it goes away and once when it is back; without the error, which may name headers. */
  #tell(refusal: string | null): void {
    const away = refusal !== null;
    if (away === this.#away) return;
    this.#away = away;
    const told = 'the collector of traces does not take spans; they are thrown away';
    if (away) this.#log.warn({ code: refusal }, told);
    else this.#log.info('the collector of traces takes spans again');
  }
}

/** A status of HTTP or a code of the system: what an operator needs, and never a text. */
function wordOf(error: unknown): string {
  const code = String((error as { code?: unknown } | undefined)?.code ?? '');
  return /^[A-Z0-9_]{1,40}$/.test(code) ? code : 'NO_ANSWER';
}
