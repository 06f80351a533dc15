import { newId } from '@countersign/kernel/id';
import { test } from 'tap';
import { createBus } from '../bus.js';
import { NatsFront } from '../test/nats-front.js';
import { quietBus } from '../test/quiet-bus.js';
import { testUrl, until } from '../testing.js';

test('a bus that refused its credentials for a while is used again', async (t) => {
  const front = await NatsFront.open({ target: testUrl('nats') });
  t.teardown(() => front.close());
  const bus = createBus(quietBus({ url: `nats://${front.host}` }));
  const seen: string[] = [];
  bus.subscribe({
    environment: 'live',
    topic: 'trust.changed',
    handle: async ({ id }) => void seen.push(id),
  });
  const publish = async (): Promise<string> => {
    const event = { id: newId('event'), type: 'trust.changed', environment: 'live' } as const;
    await bus.publish(event, JSON.stringify(event));
    return event.id;
  };
  const first = await publish();
  await until(() => seen.includes(first), { what: 'an event before' });
  front.refuses = true;
  front.cut();
  await until(() => front.logins.length > 3, { what: 'attempts to log in' });
  t.equal(bus.connected(), false);
  front.refuses = false;
  await until(() => bus.connected(), { what: 'the connection' });
  const second = await publish();
  await until(() => seen.includes(second), { what: 'an event after' });
  await bus.close();
});
