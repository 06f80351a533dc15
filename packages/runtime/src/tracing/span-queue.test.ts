import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { pino } from 'pino';
import { test } from 'tap';
import { createLog, logOptions } from '../log.js';
import { Metrics } from '../metrics.js';
import { SpanQueue } from './span-queue.js';

const span = {} as ReadableSpan;

test('a collector that takes a batch and never says so keeps none from the next', async (t) => {
  const metrics = new Metrics('test');
  const log = createLog({ service: 'test', level: 'silent' });
  let exports = 0;
  const exporter: SpanExporter = {
    export: (_spans, done) => {
      exports += 1;
      if (exports > 1) done({ code: ExportResultCode.SUCCESS });
    },
    shutdown: async () => {},
  };
  const queue = new SpanQueue({ exporter, metrics, log, sendMs: 20 });
  queue.onEnd(span);
  await queue.forceFlush();
  queue.onEnd(span);
  await queue.forceFlush();
  t.equal(exports, 2);
  await queue.shutdown();
  queue.onEnd(span);
  const told = await metrics.registry.metrics();
  t.match(told, /trace_spans_total\{outcome="not_taken"[^}]*\} 2/, 'the first, and the late one');
  t.match(told, /trace_spans_total\{outcome="sent"[^}]*\} 1/);
});

test('why the collector takes no spans can be read in the log', async (t) => {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line) };
  const refused = Object.assign(new Error('with a header'), { code: 'ECONNREFUSED' });
  const exporter: SpanExporter = {
    export: (_spans, done) => done({ code: ExportResultCode.FAILED, error: refused }),
    shutdown: async () => {},
  };
  const log = pino(logOptions({ service: 'test', level: 'info' }), sink);
  const queue = new SpanQueue({ exporter, metrics: new Metrics('test'), log });
  queue.onEnd(span);
  await queue.forceFlush();
  t.match(lines, [/"ECONNREFUSED"/]);
  t.notMatch(lines, [/header/]);
  await queue.shutdown();
});
