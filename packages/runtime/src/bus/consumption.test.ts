import { newId } from '@countersign/kernel/id';
import { test } from 'tap';
import { type Bus, createBus } from '../bus.js';
import { createLog } from '../log.js';
import { Metrics } from '../metrics.js';
import { testUrl, until } from '../testing.js';

const log = createLog({ service: 'test', level: 'silent' });
const namespace = newId('event');

/** A replica of one service. */
function replica(handle: () => Promise<void>): { bus: Bus; handled: () => number } {
  const url = testUrl('nats');
  const bus = createBus({ url, service: 't', namespace, log, metrics: new Metrics('test') });
  let handled = 0;
  bus.subscribe({
    environment: 'live',
    topic: 'trust.changed',
    handle: () => {
      handled += 1;
      return handle();
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
    await stuck.bus.publish(event, JSON.stringify(event));
  }
  await until(() => stuck.handled() === 32, { what: 'as many as one handles at a time' });
  const other = replica(async () => {});
  await until(() => other.handled() >= many - 64, { what: 'the rest at the other one' });
  t.equal(stuck.handled(), 32);
  release();
  await until(() => stuck.handled() + other.handled() === many, { what: 'all of them' });
  await Promise.all([stuck, other].map(({ bus }) => bus.close()));
});
