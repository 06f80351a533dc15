import type { BusEvent } from '@countersign/kernel/event';
import { test } from 'tap';
import { onceEach } from './inbox.js';
import { withDatabase } from './test/outbox-database.js';

test('an event has one effect, also where it comes twice at once', async (t) => {
  await withDatabase(async (pool) => {
    const events = ['b', 'a', 'b'].map((id) => ({ id }) as BusEvent);
    const effects: string[] = [];
    const once = (given: BusEvent[]) =>
      onceEach(pool, given, async (_client, fresh) => {
        effects.push(...fresh.map(({ id }) => id));
      });
    t.equal(await once(events), 2);
    t.equal(await once(events), 0);
    t.equal(await once([...events, { id: 'c' } as BusEvent]), 1);
    t.same(effects, ['b', 'a', 'c'], 'in the given order');
  });
});
