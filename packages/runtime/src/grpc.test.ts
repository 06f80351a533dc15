import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import { Fault } from '@countersign/kernel/fault';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { test } from 'tap';
import { flowWindowBytes } from './grpc/flow-window.js';
import { inTheClear } from './grpc/transport.js';
import { createGrpcClient } from './grpc-client.js';
import { startGrpcServer } from './grpc-server.js';
import type { Handlers } from './grpc-types.js';
import { Lifecycle } from './lifecycle.js';
import { createLog } from './log.js';
import { Metrics } from './metrics.js';
import { jsonMethod } from './test/json-method.js';
import { listening } from './testing/listening.js';
import { until } from './testing.js';

interface Message {
  text: string;
}

const method = jsonMethod<Message>;
const service = {
  Echo: method('Echo'),
  Fail: method('Fail'),
  Hang: method('Hang'),
  Read: method('Read', 'NO_SIDE_EFFECTS'),
  Set: method('Set', 'IDEMPOTENT'),
};
type Definition = {
  [K in keyof typeof service]: import('@grpc/proto-loader').MethodDefinition<
    Message,
    Message,
    Message,
    Message
  >;
};
const definition = service as unknown as Definition & ServiceDefinition;

const log = createLog({ service: 'test', level: 'silent' });
/** Releases the hanging calls, so that their server can shut down. */
const hanging: Array<() => void> = [];
const options = { environment: 'sandbox', requestId: 'req-1' } as const;

async function startServer(
  port = 0,
  host = '127.0.0.1',
): Promise<{ port: number; lifecycle: Lifecycle }> {
  const lifecycle = new Lifecycle(log);
  const handlers: Handlers<Definition> = {
    Echo: async (request, call) => ({
      text: `${request.text} ${call.environment} ${call.requestId}`,
    }),
    Fail: async (request) => {
      if (request.text === 'fault') {
        throw new Fault('forbidden', {
          code: 'TENANT_MISMATCH',
          message: 'not yours',
          errors: [{ field: 'a.0', message: 'm', type: 't' }],
          internal: 'hidden',
        });
      }
      throw new Error('password=hunter2');
    },
    Hang: () => new Promise((resolve) => hanging.push(() => resolve({ text: '' }))),
    Read: async (request) => request,
    Set: async (request) => request,
  };
  const bound = await startGrpcServer({
    transport: inTheClear,
    service: definition,
    handlers,
    host,
    port,
    log,
    metrics: new Metrics('test'),
    lifecycle,
  });
  return { port: bound, lifecycle };
}

function client(port: number, host = '127.0.0.1') {
  return createGrpcClient({
    transport: inTheClear,
    service: definition,
    address: `${host}:${port}`,
    metrics: new Metrics('test'),
  });
}

test('environment and request id arrive with the call', async (t) => {
  const { port, lifecycle } = await startServer();
  const caller = client(port);
  const answer = await caller.call.Echo({ text: 'hello' }, options);
  t.equal(answer.text, 'hello sandbox req-1');
  caller.close();
  await lifecycle.shutdown();
});

test('a fault crosses whole, without what only the log may see', async (t) => {
  const { port, lifecycle } = await startServer();
  const caller = client(port);
  const fault = await caller.call.Fail({ text: 'fault' }, options).catch((e: Fault) => e);
  t.ok(fault instanceof Fault);
  t.match(fault, {
    kind: 'forbidden',
    code: 'TENANT_MISMATCH',
    message: 'not yours',
    errors: [{ field: 'a.0', message: 'm', type: 't' }],
    internal: undefined,
  });
  caller.close();
  await lifecycle.shutdown();
});

test('an unexpected error says nothing of itself to the caller', async (t) => {
  const { port, lifecycle } = await startServer();
  const caller = client(port);
  const fault = await caller.call.Fail({ text: 'bug' }, options).catch((e: Fault) => e);
  t.match(fault, { kind: 'internal', code: 'INTERNAL_ERROR' });
  t.notMatch(JSON.stringify(fault), /hunter2/);
  caller.close();
  await lifecycle.shutdown();
});

test('a call ends at its deadline with an unknown answer', async (t) => {
  const { port, lifecycle } = await startServer();
  const caller = client(port);
  const fault = await caller.call
    .Hang({ text: '' }, { ...options, deadlineMs: 100 })
    .catch((e: Fault) => e);
  t.match(fault, { kind: 'deadline', code: 'SERVICE_UNAVAILABLE' });
  caller.close();
  for (const release of hanging) release();
  await lifecycle.shutdown();
});

test('a call waits for a server that is being restarted, within its deadline', async (t) => {
  const first = await startServer();
  const caller = client(first.port);
  await caller.call.Echo({ text: 'before' }, options);
  await first.lifecycle.shutdown();
  const pending = caller.call.Echo({ text: 'after' }, { ...options, deadlineMs: 8_000 });
  const second = await startServer(first.port);
  t.equal((await pending).text, 'after sandbox req-1');
  caller.close();
  await second.lifecycle.shutdown();
});

test('a server is ready if it answers, not if it is only connected', async (t) => {
  const serving = await startServer();
  const caller = client(serving.port);
  await t.resolves(caller.ready(8_000));
  await serving.lifecycle.shutdown();
  caller.close();

  const hung = createServer();
  const asked = once(hung, 'stream');
  const { port: hungPort, close } = await listening(hung);
  t.teardown(close);
  const waiting = client(hungPort);
  t.teardown(() => waiting.close());
  await t.rejects(waiting.ready(3_000), { kind: 'unavailable', code: 'SERVICE_UNAVAILABLE' });
  await asked;
});

test('when its server dies, only what is safe to repeat is sent again', async (t) => {
  const taken: string[] = [];
  const server = createServer();
  server.on('stream', (stream, headers) => {
    taken.push(String(headers[':path']).slice('/test.v1.Test/'.length));
    stream.on('error', () => {});
    stream.session?.destroy();
  });
  const { port, close } = await listening(server);
  t.teardown(close);
  const caller = client(port);
  t.teardown(() => caller.close());
  for (const name of ['Echo', 'Read', 'Set'] as const) {
    const fault = await caller.call[name]({ text: '' }, options).catch((e: Fault) => e);
    t.match(fault, { kind: 'unavailable', code: 'SERVICE_UNAVAILABLE' }, `${name} is not answered`);
  }
  const times = (name: string): number => taken.filter((each) => each === name).length;
  t.equal(times('Echo'), 1, 'it may have been done: who asked has to say whether to ask again');
  t.ok(times('Read') > 1, 'a read is asked again');
  t.ok(times('Set') > 1, 'so is what does the same twice');
});

test('what is not safe to repeat cannot go by stream, as a broken one is asked again', (t) => {
  const streamed = { open: service.Echo as never, methods: ['Echo'] };
  const make = (): unknown =>
    createGrpcClient({
      transport: inTheClear,
      service: definition,
      address: ':1',
      metrics: new Metrics('t'),
      streamed,
    });
  t.throws(make, { message: /Echo is not safe to repeat/ });
  t.end();
});

test('both sides take a batch of records before they say that they read some', async (t) => {
  const { port, lifecycle } = await startServer();
  const session = connect(`http://127.0.0.1:${port}`);
  await once(session, 'remoteSettings');
  t.equal(session.remoteSettings.initialWindowSize, flowWindowBytes, 'a stream to a server');
  await until(() => (session.state.remoteWindowSize ?? 0) >= flowWindowBytes, {
    what: 'the window of the connection',
  });
  session.destroy();
  await lifecycle.shutdown();

  const server = createServer();
  const { port: free, close } = await listening(server);
  t.teardown(close);
  const asking = client(free);
  const call = asking.call.Echo({ text: '' }, { ...options, deadlineMs: 2_000 });
  const refused = t.rejects(call, 'nobody serves it');
  const [taken] = await once(server, 'session');
  await once(taken, 'remoteSettings');
  t.equal(taken.remoteSettings.initialWindowSize, flowWindowBytes, 'a stream to a client');
  taken.destroy();
  asking.close();
  await refused;
});

test('an IPv6 address is bound as it is written, with or without brackets', async (t) => {
  for (const host of ['::1', '[::1]']) {
    const { port, lifecycle } = await startServer(0, host);
    const caller = client(port, '[::1]');
    t.equal((await caller.call.Read({ text: host }, options)).text, host);
    caller.close();
    await lifecycle.shutdown();
  }
});
