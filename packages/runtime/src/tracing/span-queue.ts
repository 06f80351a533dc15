import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import { withDeadline } from '../deadline.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';

interface SpanQueueOptions {
  exporter: SpanExporter;
  metrics: Metrics;
  log: Logger;
  /** Timeout of one export. */
  sendMs?: number;
  /** Maximum number of queued spans; more are dropped and counted. */
  maxWaiting?: number;
}

const maxWaiting = 2_048;
const maxTogether = 512;
const everyMs = 1_000;
/** The part of the ten seconds of a shutdown that the last export may take. */
const lastSendMs = 2_000;
/** A little longer than the exporter's own timeout, which starts once it is connected. */
const maxSendMs = 12_000;

/**
 * Queues ended spans until the collector has them. The library's own queue does not report how many
 * spans it drops. Only one export is in flight at a time, so a collector that hangs costs the
 * memory of one batch and one queue, and ending a span never waits.
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

  /** Exports what is queued, within the time limit. */
  async shutdown(): Promise<void> {
    const last = this.forceFlush().then(() => this.forceFlush());
    // After the time limit, what is queued counts as dropped, and the shutdown continues.
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

  /** Null on success, else the reason in a word. */
  #send(batch: ReadableSpan[]): Promise<string | null> {
    const sending = new Promise<string | null>((resolve) => {
      this.#exporter.export(batch, ({ code, error }) =>
        resolve(code === ExportResultCode.SUCCESS ? null : wordOf(error)),
      );
    });
    return withDeadline(sending, { ms: this.#sendMs, what: 'the collector' }).catch(wordOf);
  }

  /**
   * One line when the collector fails and one when it recovers; without the error, which may
   * contain headers.
   */
  #tell(refusal: string | null): void {
    const away = refusal !== null;
    if (away === this.#away) return;
    this.#away = away;
    const told = 'trace collector does not accept spans; dropping them';
    if (away) this.#log.warn({ why: refusal }, told);
    else this.#log.info('trace collector accepts spans again');
  }
}

/** An HTTP status or a system error code, which is what an operator needs; never a message. */
function wordOf(error: unknown): string {
  const code = String((error as { code?: unknown } | undefined)?.code ?? '');
  return /^[A-Z0-9_]{1,40}$/.test(code) ? code : 'NO_ANSWER';
}
