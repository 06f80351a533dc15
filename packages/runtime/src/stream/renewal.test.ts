import { credentials, Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import { type Test, test } from 'tap';
import { createLog } from '../log.js';
import { frameCodec, json, method } from '../test/frame-codec.js';
import { until } from '../testing.js';
import { StreamClient } from './client.js';
import { StreamServer } from './server.js';

const open = method('/test.v1.Multiplex/Open', true, frameCodec);
const codecs = { Echo: method('/test.v1.Test/Echo', false) };
const options = { environment: 'sandbox', requestId: 'r' } as const;

/** Streams whose calls are answered with their request, the one named `held` once it is let go. */
async function startStreams(t: Test, lifetimeMs?: number) {
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const count = { opened: 0, left: 0, ended: 0 };
  const streams = new StreamServer({
    codecs,
    log: createLog({ service: 'test', level: 'silent' }),
    dispatcher: {
      methods: new Map(),
      answer: async (_method, request) => {
        if (request === 'held') await held;
        return request;
      },
    },
    ...(lifetimeMs !== undefined && { lifetimeMs }),
  });
  const server = new Server();
  server.addService({ Open: open } as unknown as ServiceDefinition, {
    Open: (stream: Parameters<typeof streams.open>[0]) => {
      count.opened += 1;
      streams.open(stream);
      stream.on('end', () => {
        count.left += 1;
      });
      stream.on('finish', () => {
        count.ended += 1;
      });
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const client = new StreamClient(`127.0.0.1:${port}`, {
    open: open as never,
    credentials: credentials.createInsecure(),
    channel: {},
  });
  t.teardown(() => {
    client.close();
    server.forceShutdown();
  });
  const call = async (text: string, timeoutMs = 20_000) =>
    json.deserialize(await client.call('Echo', json.serialize(text), { ...options, timeoutMs }));
  await until(() => client.ready, { what: 'the first stream' });
  return { client, streams, call, letGo, count };
}

test('a stream that is to end answers its calls, and new ones have another', async (t) => {
  const { client, streams, call, letGo, count } = await startStreams(t);
  let ended = false;
  const old = call('held').finally(() => {
    ended = true;
  });
  await call('first');
  streams.close();
  await until(() => count.opened === 2 && client.ready, { what: 'the second stream' });
  t.equal(await call('next'), 'next');
  t.equal(ended, false, 'while the old one still has a call');
  letGo();
  t.equal(await old, 'held');
  t.equal(count.opened, 2, 'calls do not renew a stream');
});

test('a stream that its client has left ends with the last call in work', async (t) => {
  const { client, streams, call, letGo, count } = await startStreams(t);
  await t.rejects(call('held', 50), { kind: 'deadline', code: 'SERVICE_UNAVAILABLE' });
  t.equal(client.inFlight, 0, 'a call that timed out takes no place');
  streams.close();
  await until(() => count.left === 1 && client.ready, { what: 'the client to leave the stream' });
  t.equal(count.ended, 0, 'while a call is in work');
  letGo();
  await until(() => count.ended === 1, { what: 'the end of the stream' });
});

test('a stream ends after its lifetime, so that new replicas are found', async (t) => {
  const { client, call, count } = await startStreams(t, 20);
  await until(() => count.opened > 3, { what: 'a few streams' });
  await until(() => client.ready, { what: 'a stream' });
  t.equal(await call('last'), 'last');
});

test('a stream with thousands of calls in work refuses more of them at once', async (t) => {
  const { call, letGo } = await startStreams(t);
  const held = Array.from({ length: 4_096 }, () => call('held'));
  await t.rejects(call('more'), { kind: 'unavailable', code: 'SERVICE_UNAVAILABLE' });
  letGo();
  await Promise.all(held);
  t.equal(await call('next'), 'next');
});
