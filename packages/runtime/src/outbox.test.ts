import { test } from 'tap';
import type { Bus, EventBatch } from './bus.js';
import { inTransaction, type Pool } from './database.js';
import { createLog, type Logger } from './log.js';
import { Metrics } from './metrics.js';
import { addToOutbox } from './outbox/add.js';
import { createBehindGauge } from './outbox/reports.js';
import { startRelay } from './outbox.js';
import { withDatabase } from './test/outbox-database.js';
import { until } from './testing.js';

const log = createLog({ service: 'test', level: 'silent' });
const environment = 'sandbox';

/** A bus that keeps what it is given, or does what `publish` says instead. */
function keepingBus(publish?: (batch: EventBatch) => void): { bus: Bus; kept: string[] } {
  const kept: string[] = [];
  const bus: Bus = {
    publishTogether: async (batch) => {
      publish?.(batch);
      kept.push(...batch.payloads);
    },
    subscribe: () => {},
    keptSince: async () => 0,
    connected: () => true,
    opened: async () => {},
    maxMessageBytes: () => 1024 * 1024,
    close: async () => {},
  };
  return { bus, kept };
}

/** The same, but it answers only when it is told to; `taken` counts what it has been given. */
function heldBus() {
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { bus: keeping, kept } = keepingBus();
  const count = { taken: 0 };
  const publishTogether = async (batch: EventBatch): Promise<void> => {
    count.taken += 1;
    await answered;
    await keeping.publishTogether(batch);
  };
  return { bus: { ...keeping, publishTogether } satisfies Bus, kept, count, answer };
}

/** Adds events, whose payloads are only their names, from an hour ago. */
async function addOld(pool: Pool, count: number, from = 1): Promise<void> {
  await pool.query(
    `INSERT INTO outbox (event_id, type, payload, created_at)
     SELECT 'evt_' || i, 'trust.changed', 'old ' || i, now() - interval '1 hour'
     FROM generate_series($2::int, $2::int + $1::int - 1) i`,
    [count, from],
  );
}

async function addNew(pool: Pool, name: string): Promise<void> {
  await pool.query(
    "INSERT INTO outbox (event_id, type, payload) VALUES ($1, 'trust.changed', $1)",
    [name],
  );
}

test('a new event does not wait for a backlog, nor a backlog for new events', async (t) => {
  await withDatabase(async (pool, watch) => {
    const many = 12_000;
    await addOld(pool, many);
    const { bus, kept } = keepingBus();
    const relay = startRelay({ environment, pool, bus, log });
    let added = 0;
    const rest: number[] = [];
    do {
      added += 1;
      const name = `new ${added}`;
      await addNew(watch, name);
      await until(() => kept.includes(name), { what: name });
      rest.push(many + added - kept.length);
    } while (kept.length < many + added);
    t.ok(Number(rest[2]) > many / 2, `the backlog when the third was published: ${rest[2]}`);
    t.same(
      rest,
      [...rest].sort((one, other) => other - one),
      'less with each',
    );
    t.equal(new Set(kept).size, kept.length, 'each event once');
    // All but those that were the newest when the backlog was noticed.
    const old = kept.map((name) => Number(/^old (\d+)/.exec(name)?.[1])).filter((n) => n <= 10_000);
    t.ok(
      old.every((n, i) => n === i + 1),
      'the backlog in its order',
    );
    await relay.stop();
  });
});

test('no message is larger than the bus takes', async (t) => {
  await withDatabase(async (pool) => {
    const sent: string[][] = [];
    const { bus, kept } = keepingBus(({ payloads }) => void sent.push([...payloads]));
    await addOld(pool, 100);
    await pool.query("UPDATE outbox SET payload = repeat('€', 30)");
    const relay = startRelay({
      environment,
      pool,
      bus: { ...bus, maxMessageBytes: () => 400 },
      log,
    });
    await until(() => kept.length === 100, { what: 'all of them' });
    t.ok(sent.every((payloads) => Buffer.byteLength(payloads.join()) < 400));
    await relay.stop();
  });
});

test('nor does it wait for what came while the bus was away during a backlog', async (t) => {
  await withDatabase(async (pool, watch) => {
    const many = 6_000;
    await addOld(pool, many);
    let isAway = false;
    let refused = 0;
    const { bus, kept } = keepingBus(() => {
      if (!isAway) return;
      refused += 1;
      throw new Error('away');
    });
    const relay = startRelay({ environment, pool, bus, log });
    await addNew(watch, 'first');
    await until(() => kept.includes('first'), { what: 'the first' });
    isAway = true;
    await addOld(watch, many, many + 1);
    await addNew(watch, 'second');
    const before = refused;
    await until(() => refused > before, { what: 'a refusal after all of them were added' });
    isAway = false;
    await until(() => kept.includes('second'), { what: 'the second' });
    const rest = 2 * many + 2 - kept.length;
    t.ok(rest > many, `the backlog when the second was published: ${rest}`);
    await until(() => kept.length === 2 * many + 2, { what: 'everything' });
    t.equal(new Set(kept).size, kept.length, 'each event once');
    await relay.stop();
  });
});

test('an unanswered question about the store holds up no event', async (t) => {
  await withDatabase(async (pool, watch) => {
    const { bus, kept } = keepingBus();
    let answer = (_since: number): void => {};
    const asked = new Promise<number>((resolve) => {
      answer = resolve;
    });
    const relay = startRelay({ environment, pool, bus: { ...bus, keptSince: () => asked }, log });
    await addNew(watch, 'new');
    await until(() => kept.includes('new'), { what: 'the event' });
    answer(0);
    await relay.stop();
    t.same(kept, ['new']);
  });
});

test('why nothing can be published is said once, and that it is over', async (t) => {
  await withDatabase(async (pool, watch) => {
    const said: Array<{ about: { err?: Error }; text: string }> = [];
    const say = (about: { err?: Error }, text: string): void => void said.push({ about, text });
    const listening = { ...log, warn: say, info: say } as unknown as Logger;
    const attempts: number[] = [];
    let isFull = true;
    const { bus, kept } = keepingBus(() => {
      attempts.push(performance.now());
      relay.wake();
      if (isFull) throw new Error('maximum bytes exceeded');
    });
    const relay = startRelay({ environment, pool, bus, log: listening });
    await addNew(watch, 'new');
    await until(() => attempts.length === 3, { what: 'three attempts' });
    const [first, second, third] = attempts as [number, number, number];
    t.ok(Math.min(second - first, third - second) > 900, 'as seldom as if the bus were away');
    t.match(said, [{ about: { err: { message: 'maximum bytes exceeded' } } }]);
    t.match(said[0]?.text, /^events could not be published/);
    isFull = false;
    await until(() => said.length === 2, { what: 'the end of it' });
    t.match(said[1]?.text, /published again/);
    t.same(kept, ['new']);
    await relay.stop();
  });
});

test('what one topic is refused delays no other, and is said as well', async (t) => {
  await withDatabase(async (pool, watch) => {
    const said: string[] = [];
    const say = (_about: object, text: string): void => void said.push(text);
    const { bus, kept } = keepingBus(({ topic }) => {
      if (topic === 'trust.changed') throw new Error('not this one');
    });
    const listening = { ...log, warn: say, info: say } as unknown as Logger;
    const relay = startRelay({ environment, pool, bus, log: listening });
    await addNew(watch, 'refused');
    await watch.query(
      "INSERT INTO outbox (event_id, type, payload) VALUES ('a', 'outcome.recorded', 'taken')",
    );
    await until(() => kept.includes('taken'), { what: 'the other topic' });
    await until(() => said.length > 0, { what: 'a word' });
    await relay.stop();
    t.match(said, [/^events could not be published/]);
    t.same((await watch.query('SELECT seq::int FROM unpublished')).rows, [{ seq: 1 }]);
  });
});

test('a bus that is back is said to be so, and is missed only by waiting events', async (t) => {
  await withDatabase(async (pool, watch) => {
    const said: string[] = [];
    const say = (_about: object, text: string): void => void said.push(text);
    const listening = { ...log, warn: say, info: say } as unknown as Logger;
    const behind = createBehindGauge(new Metrics('test'));
    const reports = t.capture(behind, 'set', behind.set.bind(behind));
    const last = () => Number(reports.args().at(-1)?.[1]);
    let isAway = true;
    let asked = 0;
    const connected = (): boolean => {
      asked += 1;
      return !isAway;
    };
    const bus = { ...keepingBus().bus, connected };
    const relay = startRelay({ environment, pool, bus, log: listening, behind });
    await until(() => said.length === 1, { what: 'a word that it is away' });
    const before = asked;
    await until(() => asked > before + 6, { what: 'a few more turns' });
    t.ok(last() < 0.5, `nothing waits: ${last()} s`);
    isAway = false;
    await until(() => said.length === 2, { what: 'a word that it is back' });
    t.match(said[1], /published again/);
    isAway = true;
    await addNew(watch, 'waiting');
    await until(() => last() > 0.5, { what: 'an event that waits' });
    await relay.stop();
  });
});

test('a change whose events could not be added is not made either', async (t) => {
  await withDatabase(async (pool) => {
    const change = (id: string) =>
      inTransaction(pool, async (client) => {
        await client.query("INSERT INTO effect VALUES ('agt')");
        await addToOutbox(client, [{ id, type: 'trust.changed' }]);
      });
    await change('evt');
    await t.rejects(change('evt'), { code: '23505' }, 'the same id again');
    t.equal((await pool.query('SELECT FROM effect')).rowCount, 1);
  });
});

test('what one replica is publishing no other takes, nor waits for', async (t) => {
  await withDatabase(async (pool, watch) => {
    const slow = heldBus();
    const first = startRelay({ environment, pool, bus: slow.bus, log });
    await addNew(watch, 'one');
    await until(() => slow.count.taken === 1, { what: 'the first replica to take it' });
    const { bus, kept } = keepingBus();
    const second = startRelay({ environment, pool, bus, log });
    await addNew(watch, 'two');
    await until(() => kept.length > 0, { what: 'the second replica' });
    t.same(kept, ['two']);
    slow.answer();
    await until(() => slow.kept.length > 0, { what: 'the answer to the first' });
    await Promise.all([first.stop(), second.stop()]);
    t.same([slow.kept, kept], [['one'], ['two']]);
    t.equal((await watch.query('SELECT FROM unpublished')).rowCount, 0);
  });
});

test('a message is a repeat with the same events alone, or others would be dropped', async (t) => {
  await withDatabase(async (pool, watch) => {
    const sent: Array<{ id: string; names: string }> = [];
    let isAway = true;
    const { bus, kept } = keepingBus(({ id, payloads }) => {
      sent.push({ id, names: payloads.join() });
      if (isAway) throw new Error('away');
    });
    const relay = startRelay({ environment, pool, bus, log });
    await addNew(watch, 'one');
    const idsOf = (names: string) => sent.filter((one) => one.names === names).map(({ id }) => id);
    await until(() => idsOf('one').length === 2, { what: 'a second attempt' });
    await addNew(watch, 'two');
    await until(() => idsOf('one,two').length === 1, { what: 'an attempt with both' });
    isAway = false;
    await until(() => kept.length === 2, { what: 'both' });
    await relay.stop();
    const [first, again] = idsOf('one');
    t.equal(again, first, 'the same events are a repeat');
    t.not(idsOf('one,two')[0], first);
  });
});

test('a stop publishes what was committed meanwhile, and the time of what was late', async (t) => {
  await withDatabase(async (pool, watch) => {
    const { bus, kept, count, answer } = heldBus();
    await addOld(pool, 1);
    const relay = startRelay({ environment, pool, bus, log });
    await until(() => count.taken === 1, { what: 'the first' });
    await addNew(watch, 'new');
    const stopped = relay.stop();
    answer();
    await stopped;
    t.same(kept, ['old 1', 'new']);
    const late = 'SELECT event_id FROM outbox WHERE published_at IS NOT NULL';
    t.same((await watch.query(late)).rows, [{ event_id: 'evt_1' }]);
  });
});

test('a stop asks a bus that has just failed nothing more', async (t) => {
  await withDatabase(async (pool, watch) => {
    const { bus, count, answer } = heldBus();
    const failing = async (batch: EventBatch): Promise<void> => {
      await bus.publishTogether(batch);
      throw new Error('no answer in time');
    };
    const relay = startRelay({ environment, pool, bus: { ...bus, publishTogether: failing }, log });
    await addNew(watch, 'new');
    await until(() => count.taken === 1, { what: 'the first attempt' });
    const stopped = relay.stop();
    answer();
    await stopped;
    t.equal(count.taken, 1);
    t.equal((await watch.query('SELECT FROM unpublished')).rowCount, 1, 'it waits for the next');
  });
});
