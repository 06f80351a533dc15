import { Fault } from '@countersign/kernel/fault';
import { credentials, type ServiceDefinition } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import { test } from 'tap';
import { channelTarget, replicasOf } from '../grpc/addresses.js';
import { inTheClear } from '../grpc/transport.js';
import { createGrpcClient, type GrpcClient } from '../grpc-client.js';
import { startGrpcServer } from '../grpc-server.js';
import { Lifecycle } from '../lifecycle.js';
import { createLog } from '../log.js';
import { Metrics } from '../metrics.js';
import { frameCodec, json, method } from '../test/frame-codec.js';
import { until } from '../testing.js';
import { StreamBalancer } from './balancer.js';

interface Message {
  text: string;
}
type Definition = { Echo: MethodDefinition<Message, Message, Message, Message> };

const echo = { Echo: method('/test.v1.Test/Echo', false) };
const open = method('/test.v1.Multiplex/Open', true, frameCodec);
const service = echo as unknown as Definition & ServiceDefinition;
const log = createLog({ service: 'test', level: 'silent' });

interface Replica {
  port: number;
  lifecycle: Lifecycle;
  served: number;
  hold: Promise<void> | null;
}

/** A replica of another service, at an address that a name server still gives for this one. */
async function startStranger() {
  const lifecycle = new Lifecycle(log);
  const metrics = new Metrics('test');
  const other = { Other: method('/test.v1.Other/Other', false) };
  const port = await startGrpcServer<Definition>({
    transport: inTheClear,
    service: other as unknown as Definition & ServiceDefinition,
    multiplex: { Open: open } as unknown as ServiceDefinition,
    handlers: { Other: async () => ({}) } as never,
    host: '127.0.0.1',
    port: 0,
    log,
    metrics,
    lifecycle,
  });
  const reached = async (): Promise<boolean> =>
    /outcome="STRAY_CALL"/.test(await metrics.registry.metrics());
  return { port, lifecycle, reached };
}

async function startReplica(host = '127.0.0.1', port = 0): Promise<Replica> {
  const replica: Replica = { port: 0, lifecycle: new Lifecycle(log), served: 0, hold: null };
  replica.port = await startGrpcServer<Definition>({
    transport: inTheClear,
    service,
    multiplex: { Open: open } as unknown as ServiceDefinition,
    handlers: {
      Echo: async ({ text }, call) => {
        replica.served += 1;
        await replica.hold;
        if (text === 'fault') throw new Fault('invalid', { code: 'NO', message: 'no' });
        return { text: `${text} ${call.environment} ${call.requestId}` };
      },
    },
    host,
    port,
    log,
    metrics: new Metrics('test'),
    lifecycle: replica.lifecycle,
  });
  return replica;
}

function connect(address: string): { client: GrpcClient<Definition>; metrics: Metrics } {
  const metrics = new Metrics('test');
  const streamed = { open: open as never, methods: ['Echo'] };
  return {
    client: createGrpcClient<Definition>({
      transport: inTheClear,
      service,
      address,
      metrics,
      streamed,
    }),
    metrics,
  };
}

const options = { environment: 'sandbox', requestId: 'r', deadlineMs: 5_000 } as const;

test('calls and faults go by stream, each to its own caller', async (t) => {
  const replica = await startReplica();
  const { client } = connect(`127.0.0.1:${replica.port}`);
  await client.call.Echo({ text: 'first, by whichever way is up' }, options);
  for (let round = 0; round < 20; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, i) => client.call.Echo({ text: `${round}/${i}` }, options)),
    );
    if (!answers.every((answer, i) => answer.text === `${round}/${i} sandbox r`))
      t.fail('mixed up');
  }
  await t.rejects(client.call.Echo({ text: 'fault' }, options), { kind: 'invalid', code: 'NO' });
  t.equal(replica.served, 6_002);
  client.close();
  await replica.lifecycle.shutdown();
});

test('however large the calls and answers of one moment are, a stream carries them', async (t) => {
  const replica = await startReplica();
  const address = `127.0.0.1:${replica.port}`;
  const streams = new StreamBalancer({
    address,
    open: open as never,
    credentials: credentials.createInsecure(),
    channel: {},
  });
  const echo = (text: string) =>
    streams.call('Echo', json.serialize({ text }), { ...options, timeoutMs: 5_000 });
  await until(() => echo('first'), { what: 'the stream' });
  const large = 'x'.repeat(100_000);
  const answers = await Promise.all(Array.from({ length: 128 }, () => echo(large)));
  t.ok(answers.every((answer) => answer && answer.length > large.length));
  streams.close();
  await replica.lifecycle.shutdown();
});

test('an answer that does not come is a deadline, and frees its place', async (t) => {
  const replica = await startReplica();
  const { client } = connect(`127.0.0.1:${replica.port}`);
  await client.call.Echo({ text: 'warm' }, options);
  let release = (): void => {};
  replica.hold = new Promise((resolve) => {
    release = resolve;
  });
  const late = client.call.Echo({ text: 'late' }, { ...options, deadlineMs: 50 });
  t.match(await late.catch((fault: Fault) => fault), { kind: 'deadline' });
  release();
  replica.hold = null;
  t.equal((await client.call.Echo({ text: 'next' }, options)).text, 'next sandbox r');
  client.close();
  await replica.lifecycle.shutdown();
});

test('a stream that is to be replaced ends when its last call has timed out', async (t) => {
  const replica = await startReplica();
  const address = `127.0.0.1:${replica.port}`;
  const streams = new StreamBalancer({
    address,
    open: open as never,
    credentials: credentials.createInsecure(),
    channel: {},
  });
  const echo = (text: string, timeoutMs: number) =>
    streams.call('Echo', json.serialize({ text }), { ...options, timeoutMs });
  await until(() => echo('first', 5_000), { what: 'the stream' });
  let release = (): void => {};
  replica.hold = new Promise((resolve) => {
    release = resolve;
  });
  const late = echo('late', 500)?.catch((fault: Fault) => fault);
  await until(() => replica.served === 2, { what: 'the call at the server' });
  let down = false;
  const shutdown = replica.lifecycle.shutdown().then(() => {
    down = true;
  });
  t.match(await late, { kind: 'deadline' });
  release();
  // Sooner than the server would cut the stream.
  await until(() => down, { timeoutMs: 5_000, what: 'the end of the server' });
  streams.close();
  await shutdown;
});

test('a server that shuts down answers what it took; callers go on with the next', async (t) => {
  let replica = await startReplica();
  const { port } = replica;
  const { client } = connect(`127.0.0.1:${port}`);
  await client.call.Echo({ text: 'warm' }, options);
  let failed = 0;
  let answered = 0;
  let running = true;
  const callers = Array.from({ length: 16 }, async () => {
    while (running) {
      await client.call.Echo({ text: 'x' }, options).then(
        () => {
          answered += 1;
        },
        () => {
          failed += 1;
        },
      );
    }
  });
  for (let i = 0; i < 3; i += 1) {
    const before = answered;
    await until(() => answered > before + 200, { what: 'load' });
    await replica.lifecycle.shutdown();
    replica = await startReplica('127.0.0.1', port);
  }
  const before = answered;
  await until(() => answered > before + 200, { what: 'load after the restarts' });
  running = false;
  await Promise.all(callers);
  t.equal(failed, 0);
  client.close();
  await replica.lifecycle.shutdown();
});

test('a replica that comes up gets its share, and one that went away none', async (t) => {
  const first = await startReplica();
  const gone = await startReplica();
  const { port } = gone;
  await gone.lifecycle.shutdown();
  const { client } = connect(`127.0.0.1:${first.port},127.0.0.1:${port}`);
  const load = () =>
    Promise.all(Array.from({ length: 64 }, () => client.call.Echo({ text: 'x' }, options)));
  await load();
  t.equal(first.served, 64, 'a replica that is not there is left out');

  const second = await startReplica('127.0.0.1', port);
  await until(() => load().then(() => second.served > 0), {
    what: 'the first call of the new one',
  });
  const [before, other] = [second.served, first.served];
  for (let i = 0; i < 20; i += 1) await load();
  const shares = [second.served - before, first.served - other];
  t.ok(Math.min(...shares) * 2 > Math.max(...shares), `even: ${shares}`);

  await second.lifecycle.shutdown();
  const left = first.served;
  await load();
  t.equal(first.served - left, 64);
  client.close();
  await first.lifecycle.shutdown();
});

test('a call that reaches another service is made again where it is served', async (t) => {
  const stranger = await startStranger();
  const replica = await startReplica();
  const { client } = connect(`127.0.0.1:${stranger.port},127.0.0.1:${replica.port}`);
  const echo = () => client.call.Echo({ text: 'x' }, options);
  let calls = 64;
  await until(
    async () => {
      await echo();
      calls += 1;
      return stranger.reached();
    },
    { what: 'a call at the stranger' },
  );
  await Promise.all(Array.from({ length: 64 }, echo));
  t.equal(replica.served, calls, 'every call is answered, and none twice');
  client.close();
  await Promise.all([stranger.lifecycle.shutdown(), replica.lifecycle.shutdown()]);
});

test('a replica that answers nothing is left with one call while another answers', async (t) => {
  const stuck = await startReplica();
  const quick = await startReplica();
  const { client } = connect(`127.0.0.1:${stuck.port},127.0.0.1:${quick.port}`);
  const echo = () => client.call.Echo({ text: 'x' }, options);
  await until(() => echo().then(() => stuck.served > 0 && quick.served > 0), {
    what: 'a call of each',
  });
  let release = (): void => {};
  stuck.hold = new Promise((resolve) => {
    release = resolve;
  });
  const held: Array<Promise<unknown>> = [];
  const before = stuck.served;
  for (let i = 0; i < 40; i += 1) {
    const waiting = stuck.served;
    let answered = false;
    const call = echo().then(() => {
      answered = true;
    });
    held.push(call);
    // The next call is made once this one is answered or is seen waiting at the stuck replica.
    await until(() => answered || stuck.served > waiting, { what: 'an answer, or none' });
  }
  t.equal(stuck.served - before, 1);
  release();
  await Promise.all(held);
  client.close();
  await Promise.all([stuck.lifecycle.shutdown(), quick.lifecycle.shutdown()]);
});

test('a name that is not answered is not looked up again beside that', async (t) => {
  const looks = { silent: 0, quick: 0 };
  const lookUp = (address: 'silent' | 'quick', resolve: () => Promise<string[]>) =>
    new StreamBalancer({
      ...{
        address,
        open: open as never,
        credentials: credentials.createInsecure(),
        channel: {},
        refreshMs: 1,
      },
      resolve: () => {
        looks[address] += 1;
        return resolve();
      },
    });
  const silent = lookUp('silent', () => new Promise(() => {}));
  const quick = lookUp('quick', async () => []);
  await until(() => looks.quick > 20, { what: 'time to look again' });
  t.equal(looks.silent, 1);
  silent.close();
  quick.close();
});

test('several addresses are a list of IPs, since a name is resolved by itself', async (t) => {
  t.equal(channelTarget('ledger:50051'), 'ledger:50051');
  t.equal(channelTarget('127.0.0.1:1, 127.0.0.2:2'), 'ipv4:127.0.0.1:1,127.0.0.2:2');
  t.equal(channelTarget('[::1]:1,[::2]:1'), 'ipv6:[::1]:1,[::2]:1');
  t.throws(() => channelTarget('ledger:1,127.0.0.1:2'), { message: /takes IPs of one family/ });
  t.same(await replicasOf('[::1]:1,[::2]:2'), ['[::1]:1', '[::2]:2']);
  t.same(await replicasOf('no-such-name.invalid:1'), []);
});
