import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Test, test } from 'tap';
import { Lifecycle } from './lifecycle.js';
import { createLog } from './log.js';
import { Metrics } from './metrics.js';
import { type Collector, startCollector } from './testing/collector.js';
import { until } from './testing.js';
import type { TraceHeaders, Tracer } from './trace.js';
import { edgeSampler, type SamplerName } from './tracing/edge-sampling.js';
import { openTracing } from './tracing.js';

const log = createLog({ service: 'test', level: 'silent' });
const callersTrace = '0af7651916cd43dd8448eb211c80319c';
const callersSpan = 'b7ad6b7169203331';
const callers = (flags: string) => `00-${callersTrace}-${callersSpan}-${flags}`;

interface Options {
  sampler?: SamplerName;
  ratio?: number;
  follow?: 'on' | 'off';
  maxWaiting?: number;
}

interface Opened {
  tracer: Tracer;
  collector: Collector;
  metrics: Metrics;
  lifecycle: Lifecycle;
}

async function open(t: Test, options: Options = {}): Promise<Opened> {
  const collector = await startCollector();
  const lifecycle = new Lifecycle(log);
  t.teardown(async () => {
    collector.behave('refuse');
    await lifecycle.shutdown();
    await collector.close();
  });
  const metrics = new Metrics('test');
  const config = {
    otlpEndpoint: collector.url,
    otlpHeaders: { 'x-key': 'k 1' },
    otelServiceName: '',
    tracesSampler: options.sampler ?? 'always_on',
    tracesSamplerRatio: options.ratio ?? 1,
    tracesFollowCallers: options.follow ?? 'off',
  } as const;
  const { maxWaiting = 2_048 } = options;
  const parts = { service: 'test', metrics, log, lifecycle, queue: { maxWaiting } };
  const tracer = await openTracing(config, parts);
  if (!tracer) throw new Error('traces are off');
  return { tracer, collector, metrics, lifecycle };
}

async function counted(metrics: Metrics): Promise<Record<string, number>> {
  const found = await metrics.registry.getSingleMetric('countersign_trace_spans_total')?.get();
  return Object.fromEntries(
    (found?.values ?? []).map(({ labels, value }) => [labels.outcome, value]),
  );
}

test('without a collector there is no tracer, and no module of one is loaded', async (t) => {
  const url = new URL('./tracing.js', import.meta.url).href;
  const loads = async (endpoint: string): Promise<boolean> => {
    const script = `
      const { openTracing } = await import(${JSON.stringify(url)});
      const { Metrics } = await import(${JSON.stringify(new URL('./metrics.js', url).href)});
      const config = { otlpEndpoint: '${endpoint}', otlpHeaders: {}, otelServiceName: '' };
      const parts = { service: 's', metrics: new Metrics('s'), lifecycle: { onShutdown() {} } };
      const tracer = await openTracing(config, parts);
      const { createRequire } = await import('node:module');
      const loaded = Object.keys(createRequire(import.meta.url).cache);
      console.log(tracer !== null, loaded.some((path) => path.includes('sdk-trace')));
      process.exit(0);`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
    t.ok(['true true', 'false false'].includes(stdout.trim()), stdout);
    return stdout.startsWith('true');
  };
  t.equal(await loads('http://127.0.0.1:9'), true);
  t.equal(await loads(''), false);
});

test('a trace goes on with that of its caller, with what each step says', async (t) => {
  const { tracer, collector } = await open(t);
  const root = tracer.begin({ traceparent: callers('01'), tracestate: 'vendor=x' });
  root?.set({ 'http.response.status_code': 200, 'countersign.reason_codes': ['A', 'B'] });
  root?.rename('POST /pay');
  const child = root?.child('ask', { 'rpc.system': 'grpc' }, 'client');
  const far = child && tracer.resume(child.carrier, 'answer', { kind: 'server' });
  far?.fail('SERVICE_UNAVAILABLE');
  for (const span of [far, child, root]) span?.end();
  await until(() => collector.spans.length === 3, { what: 'three spans' });
  const named = (name: string) => collector.spans.find((span) => span.name === name);
  t.same(new Set(collector.spans.map(({ traceId }) => traceId)), new Set([callersTrace]));
  t.match(named('POST /pay'), {
    service: 'test',
    kind: 2,
    parentId: callersSpan,
    // Nothing that an untrusted caller wrote is passed on.
    traceState: '',
    attributes: { 'http.response.status_code': 200, 'countersign.reason_codes': ['A', 'B'] },
    failed: false,
  });
  t.match(named('ask'), { kind: 3, parentId: named('POST /pay')?.spanId });
  t.match(named('answer'), { kind: 2, parentId: named('ask')?.spanId, failed: true });
  t.equal(named('answer')?.statusMessage, '');
  t.equal(collector.headers['x-key'], 'k 1');
  t.equal(collector.headers['content-type'], 'application/x-protobuf');
});

test('what is not a traceparent is as if it had not been sent', async (t) => {
  const { tracer, collector } = await open(t);
  const malformed: TraceHeaders[] = [
    {},
    { traceparent: '' },
    { traceparent: 'x'.repeat(10_000) },
    { traceparent: callersTrace },
    { traceparent: callers('0g') },
    { traceparent: callers('01').toUpperCase() },
    { traceparent: `${callers('01')}-more` },
    { traceparent: callers('01').replace(/^00/, 'ff') },
    { traceparent: `00-${'0'.repeat(32)}-${callersSpan}-01` },
    { traceparent: `00-${callersTrace}-${'0'.repeat(16)}-01` },
    { traceparent: `${callers('01')}, ${callers('01')}` },
    { traceparent: [callers('01')] },
  ];
  for (const headers of malformed) tracer.begin(headers)?.end();
  for (const { traceparent } of malformed) {
    if (typeof traceparent !== 'string') continue;
    const resumed = tracer.resume({ traceparent }, 'x', { kind: 'server' });
    t.equal(resumed, null, traceparent.slice(0, 60));
  }
  await until(() => collector.spans.length === malformed.length, { what: 'a span for each' });
  t.notOk(collector.spans.some(({ traceId }) => traceId === callersTrace));
  t.same(new Set(collector.spans.map(({ parentId }) => parentId)), new Set(['']));
  t.equal(new Set(collector.spans.map(({ traceId }) => traceId)).size, malformed.length);
});

test('a caller has no say in what is traced unless it is given one', async (t) => {
  const never = { sampler: 'parentbased_always_off' } as const;
  const always = { sampler: 'parentbased_always_on' } as const;
  const traced = async (options: Options, traceparent?: string): Promise<boolean> => {
    const { tracer } = await open(t, options);
    return tracer.begin({ traceparent, tracestate: 'vendor=x' }) !== null;
  };
  t.equal(await traced(never, callers('01')), false, 'cannot force it');
  t.equal(await traced(always, callers('00')), true, 'cannot prevent it');
  t.equal(await traced({ ...never, follow: 'on' }, callers('01')), true, 'followed');
  t.equal(await traced({ ...always, follow: 'on' }, callers('00')), false, 'followed');
  t.equal(await traced({ ...never, follow: 'on' }), false, 'says nothing');
  t.equal(await traced({ ...always, follow: 'on' }), true, 'says nothing');
  t.equal(await traced({ sampler: 'always_off', follow: 'on' }, callers('01')), false);
  const { tracer } = await open(t, { follow: 'on' });
  const span = tracer.begin({ traceparent: callers('01'), tracestate: 'vendor=x' });
  t.match(span?.carrier, { traceparent: /^00-0af.{29}-.{16}-01$/, tracestate: 'vendor=x' });
});

test('the ratio does not depend on an id that a caller may choose', (t) => {
  const sample = edgeSampler({ sampler: 'traceidratio', ratio: 0.25, followCallers: false });
  const draws = Array.from({ length: 4_000 }, () => sample(true));
  const share = draws.filter(Boolean).length / draws.length;
  // Seven standard deviations around a quarter: one run in 10^11 fails by chance.
  t.ok(share > 0.2 && share < 0.3, String(share));
  t.end();
});

test('a collector that hangs costs one queue and delays nobody', async (t) => {
  const { tracer, collector, metrics } = await open(t, { maxWaiting: 10 });
  collector.behave('hang');
  const end = (count: number): void => {
    for (let i = 0; i < count; i += 1) tracer.begin({})?.end();
  };
  end(5);
  await until(() => collector.exports === 1, { what: 'an export that hangs' });
  end(1_000);
  t.same(await counted(metrics), { queue_full: 990 }, 'ten wait, five are under way');
  collector.behave('take');
  await until(async () => ((await counted(metrics)).sent ?? 0) >= 10, {
    what: 'what waited to be sent',
    timeoutMs: 20_000,
  });
  end(3);
  await until(async () => {
    const { sent = 0, not_taken = 0 } = await counted(metrics);
    return sent + not_taken === 18;
  });
});

test('what a collector refuses is counted, and the next is sent again', async (t) => {
  const { tracer, collector, metrics } = await open(t);
  collector.behave('refuse');
  tracer.begin({})?.end();
  await until(async () => (await counted(metrics)).not_taken === 1);
  collector.behave('take');
  tracer.begin({})?.end();
  await until(async () => (await counted(metrics)).sent === 1);
  t.equal(collector.spans.length, 1);
});

test('a shutdown sends what waits, and does not wait for a collector that hangs', async (t) => {
  const prompt = await open(t);
  prompt.tracer.begin({})?.end();
  await prompt.lifecycle.shutdown();
  t.equal(prompt.collector.spans.length, 1);
  const hanging = await open(t);
  hanging.collector.behave('hang');
  hanging.tracer.begin({})?.end();
  await hanging.lifecycle.shutdown();
  hanging.tracer.begin({})?.end();
  t.match(await counted(hanging.metrics), { not_taken: 1 });
});
