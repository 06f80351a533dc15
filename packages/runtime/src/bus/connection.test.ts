import { newId } from '@countersign/kernel/id';
import { test } from 'tap';
import { createBus } from '../bus.js';
import type { Logger } from '../log.js';
import { NatsFront } from '../test/nats-front.js';
import { quietBus } from '../test/quiet-bus.js';
import { publishOne } from '../testing/publish-one.js';
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
    await publishOne(bus, event);
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

test('why a bus that was connected is away is told', async (t) => {
  const said: Array<[about: { err?: { code?: string } }, text: string]> = [];
  const silent = () => {};
  const warn = (about: object, text: string) => void said.push([about, text]);
  const log = { warn, info: silent, error: silent, debug: silent } as unknown as Logger;
  const front = await NatsFront.open({ target: testUrl('nats') });
  const bus = createBus({ ...quietBus({ url: `nats://${front.host}` }), log, usuallyOpenMs: 0 });
  t.teardown(() => bus.close());
  await until(() => bus.connected(), { what: 'the connection' });
  front.close();
  await until(() => said.length > 0, { timeoutMs: 30_000, what: 'a word' });
  t.match(said, [[{ err: { code: 'CONNECTION_REFUSED' } }, 'the bus is unavailable']]);
});

test('one deadline is for all that the bus has to be asked', async (t) => {
  const front = await NatsFront.open({ target: testUrl('nats') });
  const bus = createBus(quietBus({ url: `nats://${front.host}` }));
  t.teardown(async () => {
    front.delayMs = 0;
    await bus.close();
    front.close();
  });
  await until(() => bus.connected(), { what: 'the connection' });
  // Each answer is in time, but not what takes several: there is no stream yet.
  front.delayMs = 2_600;
  const event = { id: newId('event'), type: 'trust.changed', environment: 'live' } as const;
  const late = { message: 'the bus did not answer in time' };
  await Promise.all([
    t.rejects(publishOne(bus, event), late, 'an event'),
    t.rejects(bus.keptSince('sandbox'), late, 'the question whether it has lost its store'),
  ]);
});
