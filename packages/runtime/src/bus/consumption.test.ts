import { type BusEvent, type BusTopic, packedTopic } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import { test } from 'tap';
import { type Bus, createBus } from '../bus.js';
import { createLog, type Logger } from '../log.js';
import { Metrics } from '../metrics.js';
import { quietBus } from '../test/quiet-bus.js';
import { publishOne } from '../testing/publish-one.js';
import { testUrl, until } from '../testing.js';
import { BusConnection } from './connection.js';
import { Consumption } from './consumption.js';
import { StreamKeeper } from './stream.js';

const log = createLog({ service: 'test', level: 'silent' });
const namespace = newId('event');

/** A replica of one service. */
function replica(
  handle: (event: BusEvent) => Promise<void>,
  topic: BusTopic = 'trust.changed',
): { bus: Bus; handled: () => number } {
  const url = testUrl('nats');
  const bus = createBus({ url, service: 't', namespace, log, metrics: new Metrics('test') });
  let handled = 0;
  bus.subscribe({
    environment: 'live',
    topic,
    handle: (event) => {
      handled += 1;
      return handle(event);
    },
  });
  return { bus, handled: () => handled };
}

test('a replica that is stuck leaves most of what waits to the others', async (t) => {
  const many = 300;
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const stuck = replica(() => held);
  for (let n = 0; n < many; n += 1) {
    const event = { id: newId('event'), type: 'trust.changed', environment: 'live' } as const;
    await publishOne(stuck.bus, event);
  }
  await until(() => stuck.handled() === 32, { what: 'as many as one handles at a time' });
  const other = replica(async () => {});
  await until(() => other.handled() >= many - 64, { what: 'the rest at the other one' });
  t.equal(stuck.handled(), 32);
  release();
  await until(() => stuck.handled() + other.handled() === many, { what: 'all of them' });
  await Promise.all([stuck, other].map(({ bus }) => bus.close()));
});

test('an event that cannot be read keeps none of its message from being handled', async (t) => {
  const handled = new Set<string>();
  const { bus } = replica(async ({ id }) => void handled.add(id), packedTopic);
  t.teardown(() => bus.close());
  const packed = (layout: number, name: string): string =>
    JSON.stringify(['prn_1', 'cli_1', 'req_1', 'now', null, [layout, `auth_${name}`]]);
  const payloads = [packed(1, 'a'), packed(2, 'later'), 'null', packed(1, 'b')];
  const batch = { id: newId('event'), topic: packedTopic, environment: 'live' } as const;
  await bus.publishTogether({ ...batch, payloads });
  await until(() => handled.size === 2, { what: 'the others' });
  t.same([...handled], ['evt_a', 'evt_b']);
});

test('a store that refuses is told of once, and again once it has stopped refusing', async (t) => {
  const said: Array<[level: string, about: object]> = [];
  const say = (level: string) => (about: object) => void said.push([level, about]);
  const listening = { ...log, warn: say('warn'), info: say('info') } as unknown as Logger;
  const given = { ...quietBus({ url: testUrl('nats') }), log: listening };
  const connection = new BusConnection(given);
  const streams = new StreamKeeper();
  let attempts = 0;
  let refuses = true;
  t.intercept(streams, 'ensure', {
    value: (...asked: Parameters<StreamKeeper['ensure']>) => {
      attempts += 1;
      if (refuses) throw new Error('insufficient resources');
      return StreamKeeper.prototype.ensure.apply(streams, asked);
    },
  });
  const subscription = { environment: 'live', topic: 'trust.changed', handle: async () => {} };
  const about = { environment: 'live', topic: 'trust.changed' };
  const consumption = new Consumption({ ...given, connection, streams }, subscription as never);
  void consumption.run();
  await until(() => attempts >= 3, { what: 'three attempts' });
  t.match(said, [['warn', { ...about, err: { message: 'insufficient resources' } }]]);
  refuses = false;
  await until(() => said.length === 2, { what: 'the end of it' });
  t.match(said[1], ['info', about]);
  await consumption.stop();
  await connection.close();
});

test('whether a topic is consumed can be watched', async (t) => {
  const { ensure } = StreamKeeper.prototype;
  let attempts = 0;
  let refuses = true;
  t.intercept(StreamKeeper.prototype, 'ensure', {
    value(this: StreamKeeper, ...asked: Parameters<typeof ensure>) {
      attempts += 1;
      if (refuses) throw new Error('permissions violation');
      return ensure.apply(this, asked);
    },
  });
  const given = quietBus({ url: testUrl('nats') });
  const bus = createBus(given);
  const seen = async () => {
    const gauge = given.metrics.registry.getSingleMetric('countersign_bus_subscribed');
    return (await gauge?.get())?.values.map(({ labels, value }) => [labels, value]);
  };
  const isOn = (value: number) => [[{ environment: 'live', topic: 'trust.changed' }, value]];
  t.same(await seen(), [], 'what is not consumed by design has none');
  bus.subscribe({ environment: 'live', topic: 'trust.changed', handle: async () => {} });
  await until(() => attempts >= 2, { what: 'two attempts' });
  t.same(await seen(), isOn(0));
  refuses = false;
  await publishOne(bus, { id: newId('event'), type: 'trust.changed', environment: 'live' });
  await until(async () => (await seen())?.[0]?.[1] === 1, { what: 'the event' });
  await bus.close();
  t.same(await seen(), isOn(0));
});

test('a topic without events is consumed, too', async (t) => {
  const given = quietBus({ url: testUrl('nats') });
  const connection = new BusConnection(given);
  const handle = async (): Promise<void> => {};
  const subscription = { environment: 'live', topic: 'trust.changed', handle } as const;
  const parts = { ...given, connection, streams: new StreamKeeper() };
  const consumption = new Consumption(parts, subscription);
  let now = 0;
  t.intercept(performance, 'now', {
    value: () => {
      now += 15_000;
      return now;
    },
  });
  void consumption.run();
  await until(() => consumption.subscribed(), { what: 'two looks' });
  await consumption.stop();
  await connection.close();
});

test('that a database is away is a warning, any other failure of a handler an error', async (t) => {
  const said: string[] = [];
  const say = (level: string) => () => void said.push(level);
  const listening = { ...log, warn: say('warn'), error: say('error') } as unknown as Logger;
  const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  for (const thrown of [away, new TypeError('a defect')]) {
    const bus = createBus({ ...quietBus({ url: testUrl('nats') }), log: listening });
    const before = said.length;
    const handle = async (): Promise<void> => {
      if (said.length === before) throw thrown;
    };
    bus.subscribe({ environment: 'live', topic: 'trust.changed', handle });
    await publishOne(bus, { id: newId('event'), type: 'trust.changed', environment: 'live' });
    await until(() => said.length > before, { what: 'a word' });
    await bus.close();
  }
  t.same(said, ['warn', 'error']);
});
