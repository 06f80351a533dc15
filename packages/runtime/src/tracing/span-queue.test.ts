import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { test } from 'tap';
import { createLog } from '../log.js';
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
