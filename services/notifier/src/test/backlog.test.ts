import { newId } from '@countersign/kernel/id';
import { createLog } from '@countersign/runtime/log';
import { openTestPool } from '@countersign/runtime/testing/pool';
import root, { test } from 'tap';
import { consumer } from '../consumer.js';
import { recorded } from './notifier.js';

const log = createLog({ service: 'test', level: 'silent' });
const pool = await openTestPool(root, 'notifier');

/** Simulates a busy disk. */
const slowInbox = `
  CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN PERFORM pg_sleep(0.01); RETURN NEW; END $$;
  CREATE TRIGGER slow BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION wait()`;

test('a sudden backlog is processed with few connections', async (t) => {
  await pool.query(slowInbox);
  const handle = consumer({ pool, log, wakeDispatcher: () => {}, wakeCourier: () => {} });
  const events = Array.from({ length: 500 }, () =>
    recorded(newId('principal'), { decision: 'DECLINE' }),
  );
  const results = await Promise.allSettled(events.map((event) => handle(event, null)));
  t.equal(results.filter(({ status }) => status === 'rejected').length, 0);
  const { rows } = await pool.query('SELECT count(*)::int AS heard FROM inbox');
  t.same(rows, [{ heard: 500 }]);
});

test('an event that waits for the lock of another transaction does not block others', async (t) => {
  const handle = consumer({ pool, log, wakeDispatcher: () => {}, wakeCourier: () => {} });
  const events = Array.from({ length: 3 }, () =>
    recorded(newId('principal'), { decision: 'DECLINE' }),
  );
  const holder = await pool.connect();
  await holder.query('BEGIN');
  await holder.query('INSERT INTO inbox (event_id) VALUES ($1)', [events[1]?.id]);
  const results = await Promise.allSettled(events.map((event) => handle(event, null)));
  await holder.query('ROLLBACK');
  holder.release();
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});
