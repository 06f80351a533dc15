import dns from 'node:dns';
import type { ServiceDefinition } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import { test } from 'tap';
import { createGrpcClient } from '../grpc-client.js';
import { startGrpcServer } from '../grpc-server.js';
import type { Handlers } from '../grpc-types.js';
import { Lifecycle } from '../lifecycle.js';
import { createLog } from '../log.js';
import { Metrics } from '../metrics.js';
import { jsonMethod } from '../test/json-method.js';
import { until } from '../testing.js';
import { inTheClear } from './transport.js';

interface Message {
  from: string;
}

type Definition<Name extends string> = Record<
  Name,
  MethodDefinition<Message, Message, Message, Message>
>;

/** A service with one method of its own. */
function serviceWith<Name extends string>(name: Name): Definition<Name> & ServiceDefinition {
  return { [name]: jsonMethod<Message>(name) } as unknown as Definition<Name> & ServiceDefinition;
}

const reverse = serviceWith('Reverse');
const decide = serviceWith('Decide');

const log = createLog({ service: 'test', level: 'silent' });

interface Replica {
  port: number;
  stop(): Promise<void>;
}

async function serve<D>(
  service: D & ServiceDefinition,
  handlers: Handlers<D>,
  { host, port }: { host: string; port: number },
): Promise<Replica> {
  const lifecycle = new Lifecycle(log);
  const metrics = new Metrics('test');
  const bound = await startGrpcServer({
    transport: inTheClear,
    service,
    handlers,
    host,
    port,
    log,
    metrics,
    lifecycle,
  });
  return { port: bound, stop: () => lifecycle.shutdown() };
}

const serveReverse = (host: string, port = 0): Promise<Replica> =>
  serve(reverse, { Reverse: async () => ({ from: host }) }, { host, port });
const serveDecide = (host: string, port: number): Promise<Replica> =>
  serve(decide, { Decide: async () => ({ from: host }) }, { host, port });

const [stopped, remaining] = ['127.0.0.2', '127.0.0.3'] as const;

test('the address of a stopped replica is dropped, even if another service takes it', async (t) => {
  let listed: string[] = [stopped, remaining];
  let lookups = 0;
  const { lookup } = dns.promises;
  t.teardown(() => Object.assign(dns.promises, { lookup }));
  const resolve = async () => {
    lookups += 1;
    return listed.map((address) => ({ address, family: 4 }));
  };
  Object.assign(dns.promises, { lookup: resolve });

  const first = await serveReverse(stopped);
  let other: Replica | undefined;
  const second = await serveReverse(remaining, first.port);
  const address = `replicas.test:${first.port}`;
  const client = createGrpcClient({
    transport: inTheClear,
    service: reverse,
    address,
    metrics: new Metrics('test'),
  });
  t.teardown(async () => {
    client.close();
    await Promise.all([first.stop(), second.stop(), other?.stop()]);
  });
  const ask = (): Promise<Message> => client.call.Reverse({ from: '' }, options);
  for (const host of [stopped, remaining]) {
    await until(async () => (await ask()).from === host, { what: `a call to ${host}` });
  }

  await first.stop();
  other = await serveDecide(stopped, first.port);
  listed = [remaining];
  const before = lookups;
  await until(() => lookups > before, { what: 'another look-up of the name' });
  await until(async () => (await allOf(6, ask)).every((from) => from === remaining), {
    what: 'six calls to the remaining replica',
  });
});

const options = { environment: 'sandbox', requestId: 'req-1' } as const;

/** Which replica answered each call, or why none did. */
async function allOf(times: number, ask: () => Promise<Message>): Promise<string[]> {
  const answers = await Promise.allSettled(Array.from({ length: times }, ask));
  return answers.map((each) => (each.status === 'fulfilled' ? each.value.from : `${each.reason}`));
}
