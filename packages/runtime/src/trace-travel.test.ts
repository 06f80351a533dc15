import { newId } from '@countersign/kernel/id';
import type { ServiceDefinition } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import { loadSync } from '@grpc/proto-loader';
import { type Test, test } from 'tap';
import { createBus } from './bus.js';
import { inTheClear } from './grpc/transport.js';
import { createGrpcClient } from './grpc-client.js';
import { startGrpcServer } from './grpc-server.js';
import { Lifecycle } from './lifecycle.js';
import { createLog } from './log.js';
import { Metrics } from './metrics.js';
import { type Collector, startCollector } from './testing/collector.js';
import { testUrl, until } from './testing.js';
import type { Trace, Tracer } from './trace.js';
import { openTracing } from './tracing.js';

interface Message {
  text: string;
}
type Definition = { Echo: MethodDefinition<Message, Message, Message, Message> };

const log = createLog({ service: 'test', level: 'silent' });
const proto = new URL('../../../proto/multiplex.proto', import.meta.url).pathname;
const multiplex = loadSync(proto, { defaults: true })['countersign.v1.Multiplex'];
const codec = {
  serialize: (value: unknown) => Buffer.from(JSON.stringify(value)),
  deserialize: (bytes: Buffer) => JSON.parse(bytes.toString()),
};
const service = {
  Echo: {
    path: '/test.v1.Test/Echo',
    requestStream: false,
    responseStream: false,
    requestSerialize: codec.serialize,
    requestDeserialize: codec.deserialize,
    responseSerialize: codec.serialize,
    responseDeserialize: codec.deserialize,
    options: { idempotency_level: 'IDEMPOTENT' },
  },
} as unknown as Definition & ServiceDefinition;

async function tracerOf(t: Test, service: string, collector: Collector): Promise<Tracer> {
  const lifecycle = new Lifecycle(log);
  t.teardown(() => lifecycle.shutdown());
  const config = {
    otlpEndpoint: collector.url,
    otlpHeaders: {},
    otelServiceName: '',
    tracesSampler: 'always_on',
    tracesSamplerRatio: 1,
    tracesFollowCallers: 'off',
  } as const;
  const tracer = await openTracing(config, {
    ...{ service, log, lifecycle },
    metrics: new Metrics(service),
  });
  if (!tracer) throw new Error('traces are off');
  return tracer;
}

async function collectorOf(t: Test): Promise<Collector> {
  const collector = await startCollector();
  t.teardown(() => collector.close());
  return collector;
}

/** A server of one RPC and a caller of it, by stream if the server offers one, else unary. */
async function startPair(t: Test, tracer: Tracer | null, streamed: boolean) {
  const lifecycle = new Lifecycle(log);
  const heard: Array<{ text: string; trace: Trace | undefined }> = [];
  const port = await startGrpcServer<Definition>({
    transport: inTheClear,
    service,
    ...(streamed && { multiplex: multiplex as ServiceDefinition }),
    handlers: {
      Echo: async ({ text }, call) => {
        heard.push({ text, trace: call.trace });
        call.trace?.set({ 'countersign.delivery.id': text });
        return { text };
      },
    },
    ...{ host: '127.0.0.1', port: 0, log, lifecycle, tracer },
    metrics: new Metrics('test'),
  });
  const metrics = new Metrics('test');
  const open = (multiplex as ServiceDefinition).Open as never;
  const client = createGrpcClient<Definition>({
    transport: inTheClear,
    ...{ service, metrics, address: `127.0.0.1:${port}` },
    streamed: { open, methods: ['Echo'] },
  });
  t.teardown(async () => {
    client.close();
    await lifecycle.shutdown();
  });
  return { client, heard };
}

for (const [way, streamed] of [
  ['on one stream, batched', true],
  ['one by one', false],
] as const) {
  test(`each call has its own trace, ${way}, and most have none`, async (t) => {
    const collector = await collectorOf(t);
    const near = await tracerOf(t, 'near', collector);
    const { client, heard } = await startPair(t, await tracerOf(t, 'far', collector), streamed);
    const options = { environment: 'sandbox', requestId: 'r', deadlineMs: 20_000 } as const;
    await client.call.Echo({ text: 'first, by whichever way is up' }, options);
    const traced = new Map<string, string>();
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const text = `call ${index}`;
        const trace = index % 4 === 0 ? near.begin({}) : null;
        if (trace) traced.set(text, trace.traceId);
        await client.call.Echo({ text }, { ...options, trace });
        trace?.end();
      }),
    );
    await until(() => collector.spans.length === 3 * traced.size, { what: 'three spans a call' });
    const answers = collector.spans.filter((span) => span.service === 'far');
    const calls = new Map(collector.spans.map((span) => [span.spanId, span]));
    for (const { traceId, parentId, attributes } of answers) {
      t.equal(traceId, traced.get(String(attributes['countersign.delivery.id'])));
      const call = calls.get(parentId);
      t.match(call, { service: 'near', name: 'test.v1.Test/Echo', kind: 3, traceId });
      t.match(calls.get(call?.parentId ?? ''), { service: 'near', parentId: '', traceId });
    }
    t.equal(answers.length, traced.size);
    const untraced = heard.filter(({ text }) => !traced.has(text));
    t.same(new Set(untraced.map(({ trace }) => trace)), new Set([null]));
  });
}

test('who looks at no traces is not held up by a caller who does', async (t) => {
  const near = await tracerOf(t, 'near', await collectorOf(t));
  const { client, heard } = await startPair(t, null, true);
  const options = { environment: 'live', requestId: 'r', trace: near.begin({}) } as const;
  t.same(await client.call.Echo({ text: 'x' }, options), { text: 'x' });
  t.equal(heard[0]?.trace, null);
});

test('of several events in one message each has its own trace, or none', async (t) => {
  const collector = await collectorOf(t);
  const tracer = await tracerOf(t, 'hearing', collector);
  const namespace = newId('event');
  const url = testUrl('nats');
  const metrics = new Metrics('test');
  const bus = createBus({ url, service: 'hearing', namespace, log, metrics, tracer });
  t.teardown(() => bus.close());
  const heard = new Map<string, Trace>();
  bus.subscribe({
    environment: 'sandbox',
    topic: 'trust.changed',
    handle: async ({ id }, trace) => {
      heard.set(id, trace);
    },
  });
  const event = (id: string, trace?: unknown): string =>
    JSON.stringify({ id, type: 'trust.changed', environment: 'sandbox', trace, data: {} });
  const [one, other] = [tracer.begin({}), tracer.begin({})];
  const payloads = [
    event('one', one?.carrier),
    event('plain'),
    event('other', other?.carrier),
    event('odd', { traceparent: 'x' }),
  ];
  const batch = { topic: 'trust.changed', environment: 'sandbox', payloads } as const;
  await bus.publishTogether({ id: newId('event'), ...batch });
  await until(() => heard.size === 4, { what: 'all four' });
  t.equal(heard.get('plain'), null);
  t.equal(heard.get('odd'), null);
  await until(() => collector.spans.length === 2, { what: 'two spans' });
  for (const [id, trace] of [
    ['one', one],
    ['other', other],
  ] as const) {
    const span = collector.spans.find(({ traceId }) => traceId === trace?.traceId);
    t.match(span, {
      name: 'process trust.changed',
      kind: 5,
      parentId: trace?.carrier.traceparent.split('-')[2],
      attributes: { 'messaging.system': 'nats', 'messaging.message.id': id },
    });
  }
});
