import { newId } from '@countersign/kernel/id';
import { test } from 'tap';
import { createBus } from '../bus.js';
import type { Pool } from '../database.js';
import type { Logger } from '../log.js';
import { Metrics } from '../metrics.js';
import { startRelay } from '../outbox.js';
import { testUrl, until } from '../testing.js';

/** A bus and a relay started together, as in a service, and their log messages. */
function started(given: { url: string; usuallyOpenMs?: number }) {
  const said: string[] = [];
  const say = (_about: object, text: string): void => void said.push(text);
  const log = { warn: say, error: say, info: () => {}, debug: () => {} } as unknown as Logger;
  const metrics = new Metrics('test');
  const bus = createBus({ service: 'test', namespace: newId('event'), log, metrics, ...given });
  let looked = 0;
  const query = async () => {
    looked += 1;
    return { rows: [] };
  };
  const client = { query, release: () => {} };
  const pool = { connect: async () => client, query } as unknown as Pool;
  const relay = startRelay({ environment: 'sandbox', pool, bus, log });
  const stop = async (): Promise<void> => {
    await relay.stop();
    await bus.close();
  };
  return { bus, said, looked: () => looked, stop };
}

test('a start that finds its bus says nothing, and relays', async (t) => {
  const { bus, said, looked, stop } = started({ url: testUrl('nats') });
  t.equal(bus.connected(), false, 'it begins before the bus is there');
  await until(() => looked() > 2, { what: 'a look into the outbox' });
  t.same(said, []);
  await stop();
});

test('of a bus that is away is told, once', async (t) => {
  const { said, looked, stop } = started({ url: 'nats://127.0.0.1:1', usuallyOpenMs: 0 });
  await until(() => said.length > 0, { what: 'a word' });
  await stop();
  t.match(said, [/the bus is unavailable/]);
  t.equal(looked(), 0);
});
