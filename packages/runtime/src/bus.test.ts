import { newId } from '@countersign/kernel/id';
import { connect } from 'nats';
import { type Test, test } from 'tap';
import { type Bus, createBus } from './bus.js';
import { inTransaction } from './database.js';
import { onceEach } from './inbox.js';
import { createLog } from './log.js';
import { Metrics } from './metrics.js';
import { addToOutbox } from './outbox/add.js';
import { createBehindGauge } from './outbox/reports.js';
import { startRelay } from './outbox.js';
import { withDatabase } from './test/outbox-database.js';
import { publishOne } from './testing/publish-one.js';
import { testUrl, until } from './testing.js';

const log = createLog({ service: 'test', level: 'silent' });
const run = newId('event');

function options(service: string) {
  return { url: testUrl('nats'), service, namespace: run, log, metrics: new Metrics('test') };
}

function bus(service = `t${run}`): Bus {
  return createBus(options(service));
}

function trustChange(agentId: string) {
  return {
    id: newId('event'),
    type: 'trust.changed' as const,
    environment: 'sandbox' as const,
    principalId: null,
    clientId: null,
    requestId: run,
    occurredAt: new Date().toISOString(),
    data: { agentId },
  };
}

test('a topic is subscribed to once, since two handlers would share its events', async (t) => {
  const receiver = bus(`s${run}`);
  const live = { environment: 'live', topic: 'identity.changed', handle: async () => {} } as const;
  receiver.subscribe(live);
  receiver.subscribe({ ...live, environment: 'sandbox' });
  t.throws(() => receiver.subscribe(live), /live identity.changed is subscribed to already/);
  await receiver.close();
});

test('a committed event takes effect once, however often it is delivered', async (t) => {
  await withDatabase(async (pool) => {
    const sender = bus();
    const receiver = bus(`r${run}`);
    const seen: string[] = [];
    receiver.subscribe({
      environment: 'sandbox',
      topic: 'trust.changed',
      handle: async (event) => {
        if (event.requestId !== run) return;
        seen.push(event.id);
        await onceEach(pool, [event], async (client) => {
          const data = event.data as { agentId: string };
          await client.query('INSERT INTO effect VALUES ($1)', [data.agentId]);
        });
        // Fails after the effect, like a process that dies before its acknowledgement.
        if (seen.filter((id) => id === event.id).length === 1) throw new Error('not acknowledged');
      },
    });
    await until(() => sender.connected() && receiver.connected());
    const relays = [1, 2].map(() => startRelay({ environment: 'sandbox', pool, bus: sender, log }));
    const events = Array.from({ length: 40 }, (_, i) => trustChange(`agt_${i}`));
    await inTransaction(pool, (client) => addToOutbox(client, events));
    for (const relay of relays) relay.wake();

    await until(() => seen.length >= events.length * 2, { timeoutMs: 20_000, what: 'redelivery' });
    const { rows } = await pool.query('SELECT agent_id, count(*)::int AS n FROM effect GROUP BY 1');
    t.equal(rows.length, events.length);
    t.ok(
      rows.every((row) => row.n === 1),
      'each event acted once',
    );
    const unpublished = await pool.query('SELECT FROM unpublished');
    t.equal(unpublished.rowCount, 0);
    await Promise.all(relays.map((relay) => relay.stop()));
    await receiver.close();
    await sender.close();
  });
});

test('events of one type go out together; one that fails brings them again', async (t) => {
  await withDatabase(async (pool) => {
    const metrics = new Metrics('test');
    const sender = createBus({ ...options('sender'), metrics });
    const receiver = bus(`b${run}`);
    const seen = new Map<string, number>();
    receiver.subscribe({
      environment: 'sandbox',
      topic: 'trust.changed',
      handle: async ({ id, requestId }) => {
        if (requestId !== 'together') return;
        seen.set(id, (seen.get(id) ?? 0) + 1);
        if (id === events[3]?.id && seen.get(id) === 1) throw new Error('not yet');
      },
    });
    await until(() => sender.connected() && receiver.connected());
    const events = Array.from({ length: 200 }, (_, i) => ({
      ...trustChange(`agt_${i}`),
      requestId: 'together',
    }));
    await inTransaction(pool, (client) => addToOutbox(client, events));
    // What is published within a minute of the creation of the stream may be published again.
    const settled = { ...sender, keptSince: async () => 0 };
    const relay = startRelay({ environment: 'sandbox', pool, bus: settled, log });
    await until(() => events.every(({ id }) => seen.has(id)), { what: 'all of them' });
    await until(() => seen.get(events[3]?.id ?? '') === 2, { what: 'the message once more' });
    t.equal(seen.get(events[150]?.id ?? ''), 1, 'of another message');
    t.same(
      [...seen.keys()].slice(0, 128),
      events.slice(0, 128).map(({ id }) => id),
    );
    const counted = await metrics.registry.getSingleMetricAsString('countersign_round_trips_total');
    t.match(counted, /kind="publish"[^}]*\} 2\n?/);
    await relay.stop();
    await receiver.close();
    await sender.close();
  });
});

test('the relay reports for how long events have been waiting', async (t) => {
  await withDatabase(async (pool) => {
    const sender = bus();
    let isAway = true;
    const unreliable = { ...sender, connected: () => !isAway && sender.connected() };
    const behind = createBehindGauge(new Metrics('test'));
    const seconds = async () => (await behind.get()).values[0]?.value ?? 0;
    await inTransaction(pool, (client) => addToOutbox(client, [trustChange('agt_waiting')]));
    const relay = startRelay({ environment: 'sandbox', pool, bus: unreliable, log, behind });
    await until(async () => (await seconds()) > 0, { what: 'a first report' });
    const first = await seconds();
    await until(async () => (await seconds()) > first, { what: 'a longer time' });
    const longer = await seconds();
    isAway = false;
    relay.wake();
    await until(async () => (await seconds()) < longer, { what: 'a shorter time' });
    t.equal((await pool.query('SELECT FROM unpublished')).rowCount, 0, 'all is published by then');
    await relay.stop();
    await sender.close();
  });
});

test('what is committed late, or is to be published again, is not stepped over', async (t) => {
  await withDatabase(async (pool) => {
    const sender = bus();
    await until(() => sender.connected());
    const relay = startRelay({ environment: 'sandbox', pool, bus: sender, log });
    const waiting = async (): Promise<number> => {
      const { rows } = await pool.query('SELECT count(*)::int AS n FROM unpublished');
      return rows[0].n;
    };
    const late = await pool.connect();
    await late.query('BEGIN');
    await addToOutbox(late, [trustChange('agt_late')]);
    const others = Array.from({ length: 300 }, (_, i) => trustChange(`agt_${i}`));
    await inTransaction(pool, (client) => addToOutbox(client, others));
    await until(async () => (await waiting()) === 0, { what: 'the others' });
    await late.query('COMMIT');
    late.release();
    await until(async () => (await waiting()) === 0, { what: 'the late one' });
    await pool.query('INSERT INTO unpublished SELECT seq FROM outbox');
    await until(async () => (await waiting()) === 0, { timeoutMs: 20_000, what: 'all again' });
    t.equal((await pool.query('SELECT FROM outbox')).rowCount, 301);
    await relay.stop();
    await sender.close();
  });
});

test('an event is written once, and again only where it is published late', async (t) => {
  await withDatabase(async (pool) => {
    const sender = bus();
    await until(() => sender.connected());
    const relay = startRelay({ environment: 'sandbox', pool, bus: sender, log });
    const isEmpty = async (): Promise<boolean> =>
      (await pool.query('SELECT FROM unpublished')).rowCount === 0;
    await inTransaction(pool, async (client) => {
      await addToOutbox(client, [trustChange('agt_young'), trustChange('agt_old')]);
      await client.query(`UPDATE outbox SET created_at = now() - interval '1 hour'
        WHERE payload LIKE '%agt_old%'`);
      // A queue entry whose event was deleted is dropped.
      await client.query('INSERT INTO unpublished VALUES (0)');
    });
    await until(isEmpty, { what: 'an empty queue' });
    const { rows } = await pool.query(`SELECT payload::json -> 'data' ->> 'agentId' AS agent,
      published_at > now() - interval '1 minute' AS recently FROM outbox ORDER BY seq`);
    t.same(rows, [
      { agent: 'agt_young', recently: null },
      { agent: 'agt_old', recently: true },
    ]);
    await relay.stop();
    await sender.close();
  });
});

test('events that were lost with the bus, read or unread, come again and act once', async (t) => {
  await withDatabase(async (pool, watch) => {
    const seen: string[] = [];
    const listen = (): Bus => {
      const receiver = bus(`l${run}`);
      receiver.subscribe({
        environment: 'live',
        topic: 'trust.changed',
        handle: async (event) => {
          seen.push(event.id);
          await onceEach(pool, [event], async (client) => {
            const data = event.data as { agentId: string };
            await client.query('INSERT INTO effect VALUES ($1)', [data.agentId]);
          });
        },
      });
      return receiver;
    };
    const publish = async (from: number, to: number): Promise<void> => {
      const events = Array.from({ length: to - from }, (_, n) => ({
        ...trustChange(`agt_${from + n}`),
        environment: 'live' as const,
      }));
      await inTransaction(pool, (client) => addToOutbox(client, events));
      for (const relay of relays) relay.wake();
      await until(async () => {
        const { rowCount } = await watch.query('SELECT FROM unpublished');
        return rowCount === 0;
      });
    };
    const sender = bus();
    await until(() => sender.connected());
    const relays = [1, 2].map(() =>
      startRelay({ environment: 'live', pool, bus: sender, log, askBusEveryMs: 100 }),
    );
    const first = listen();
    await publish(0, 300);
    await until(() => new Set(seen).size === 300, { what: 'the first events' });
    await first.close();
    await publish(300, 600);
    const before = seen.length;

    const nats = await connect({ servers: testUrl('nats') });
    await (await nats.jetstreamManager()).streams.delete(`${run}_LIVE`.toUpperCase());
    await nats.close();

    const second = listen();
    const effects = async (): Promise<boolean> => {
      const { rows } = await watch.query<{ n: number }>('SELECT count(*)::int AS n FROM effect');
      return rows[0]?.n === 600;
    };
    await until(effects, { timeoutMs: 20_000, what: 'what nobody had read' });
    await until(() => new Set(seen.slice(before)).size === 600, { what: 'all of them again' });
    await publish(600, 650);
    await until(() => new Set(seen).size === 650, { what: 'the relay to go on' });
    const twice = await pool.query('SELECT FROM effect GROUP BY agent_id HAVING count(*) > 1');
    t.equal(twice.rowCount, 0, 'each event acted once');
    await Promise.all(relays.map((relay) => relay.stop()));
    await second.close();
    await sender.close();
  });
});

test('a rolled-back change tells nobody', async (t) => {
  await withDatabase(async (pool) => {
    const failing = inTransaction(pool, async (client) => {
      await addToOutbox(client, [trustChange('agt_x')]);
      throw new Error('changed my mind');
    });
    await t.rejects(failing, /changed my mind/);
    t.equal((await pool.query('SELECT FROM outbox')).rowCount, 0);
  });
});

test('a bus whose whole store was lost takes events again', async (t) => {
  const sender = bus();
  const receiver = bus(`w${run}`);
  const seen = new Set<string>();
  receiver.subscribe({
    environment: 'live',
    topic: 'outcome.recorded',
    handle: async (event) => void seen.add(event.id),
  });
  const publish = async (): Promise<string> => {
    const event = { ...trustChange('agt_1'), type: 'outcome.recorded' as const };
    const live = { ...event, environment: 'live' as const };
    await publishOne(sender, live);
    return event.id;
  };
  const first = await publish();
  await until(() => seen.has(first), { what: 'the first event' });

  const nats = await connect({ servers: testUrl('nats') });
  await (await nats.jetstreamManager()).streams.delete(`${run}_LIVE`.toUpperCase());
  await nats.close();

  const second = await publish();
  await until(() => seen.has(second), { timeoutMs: 30_000, what: 'the event after the loss' });
  t.ok(seen.has(second));
  await receiver.close();
  await sender.close();
});

test('a stream that is made again while it is being deleted keeps what it is given', async (t) => {
  await t.test('by those who look for it', (c) => madeAgain(c, (bus) => bus.keptSince('live')));
  await t.test('by those who only publish', (c) => madeAgain(c, publishOrFail));
});

/**
 * A server that is deleting a stream may accept an event without acknowledging it, and then claim
 * both that the stream exists and that nothing listens on its subjects (503). In either case the
 * publisher still has the event. What must not happen is an acknowledgement of a lost event.
 */
async function publishOrFail(bus: Bus): Promise<void> {
  await publishLarge(bus).catch((error: { code?: string; message: string }) => {
    if (error.message !== 'the bus did not answer in time' && error.code !== '503') throw error;
  });
}

/** Returns once the bus has acknowledged it. */
async function publishLarge(bus: Bus): Promise<string> {
  const event = { ...trustChange('x'.repeat(3_000)), environment: 'live' as const };
  await publishOne(bus, event);
  return event.id;
}

async function madeAgain(t: Test, use: (bus: Bus) => Promise<unknown>): Promise<void> {
  const namespace = newId('event');
  const stream = `${namespace}_LIVE`.toUpperCase();
  const others = [1, 2, 3, 4].map((n) => createBus({ ...options(`other${n}`), namespace }));
  const sender = createBus({ ...options('sender'), namespace });
  const nats = await connect({ servers: testUrl('nats') });
  t.teardown(async () => {
    await nats.close();
    await Promise.all([sender, ...others].map((each) => each.close()));
  });
  const manager = await nats.jetstreamManager();
  await Promise.all(others.map(use));
  // The more messages, the longer the deletion takes.
  for (let n = 0; n < 300; n += 1) await publishLarge(sender);
  for (let n = 0; n < 8; n += 1) {
    await manager.consumers.add(stream, { durable_name: `c${n}`, ack_policy: 'explicit' as never });
  }
  let deleted = false;
  const deleting = manager.streams.delete(stream).finally(() => {
    deleted = true;
  });
  do await Promise.all(others.map(use));
  while (!deleted);
  const given = [await publishLarge(sender), await publishLarge(sender)];
  await deleting;
  const { last_seq: last } = (await manager.streams.info(stream)).state;
  const held: string[] = [];
  for (const seq of [last - 1, last]) {
    const [{ id }] = JSON.parse((await manager.streams.getMessage(stream, { seq })).string());
    held.push(id);
  }
  t.same(held, given);
}
