import type { BusEvent } from '@countersign/kernel/event';
import { test } from 'tap';
import type { PoolClient } from './database.js';
import { onceEach, unseen } from './inbox.js';
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

test('ids are locked in one order, so that two replicas cannot deadlock', async (t) => {
  const asked: unknown[] = [];
  const query = async (_sql: string, values: unknown[]) => {
    asked.push(...values);
    return { rows: [{ event_id: 'b' }] };
  };
  const events = ['b', 'c', 'a', 'b'].map((id) => ({ id }) as BusEvent);
  t.same(await unseen({ query } as unknown as PoolClient, events), [{ id: 'b' }]);
  t.same(asked, [['a', 'b', 'c']]);
});
