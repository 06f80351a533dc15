import { type BusEvent, type BusTopic, packedTopic } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import { test } from 'tap';
import { type Bus, createBus } from '../bus.js';
import { createLog } from '../log.js';
import { Metrics } from '../metrics.js';
import { publishOne } from '../testing/publish-one.js';
import { testUrl, until } from '../testing.js';

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
