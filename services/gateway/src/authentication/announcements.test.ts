import type { Lifecycle } from '@countersign/runtime/lifecycle';
import { until } from '@countersign/runtime/testing';
import { test } from 'tap';
import type { Changed } from './announcement-rows.js';
import { Announcements, type AnnouncementsOptions } from './announcements.js';

const changed: Changed[] = Array.from({ length: 1_000 }, (_, n) => ({
  id: `acr_${n}`,
  environment: 'sandbox',
  version: 2,
}));

interface Database {
  /** What is noted, in one read after the other; none after the last. */
  noted?: Array<readonly Changed[]>;
  /** Runs where a gateway would be put on the list. */
  enlist?: () => void;
  /** Runs where a gateway draws a number. */
  draw?: () => void;
  isForgotten?: boolean;
}

/** With a database whose gateways never know of anything. */
function announcing(
  refuses: (id: string) => boolean,
  { noted = [], enlist = () => {}, draw = () => {}, isForgotten = false }: Database = {},
) {
  const asked: string[] = [];
  const settled: unknown[] = [];
  /** Whether Redis was relied on when others heard what this gateway knows of. */
  const relied: boolean[] = [];
  const reads = [...noted];
  const announce = async ({ id }: Changed) => {
    asked.push(id);
    if (refuses(id)) throw new Error('away');
  };
  const query = async (sql: string, values: unknown[] = []) => {
    if (sql.includes('DELETE FROM credential_announcement')) settled.push(...(values[0] as []));
    if (sql.includes('FROM credential_announcement noted JOIN'))
      return { rows: reads.shift() ?? [] };
    if (/^(INSERT INTO|UPDATE) gateway_replica/.test(sql)) relied.push(announcements.reliesOnRedis);
    if (sql.startsWith('INSERT INTO gateway_replica')) enlist();
    if (sql.includes('nextval')) draw();
    return { rows: [{ turn: '1', know: false }], rowCount: isForgotten ? 0 : 1 };
  };
  const options = { gate: { announce }, pool: { query }, log: { warn: () => {}, debug: () => {} } };
  const announcements = new Announcements(options as unknown as AnnouncementsOptions);
  return { asked, settled, relied, announcements };
}

function ending() {
  const closers: Array<() => Promise<void>> = [];
  const onShutdown = (_: string, close: () => Promise<void>) => closers.push(close);
  const close = () => Promise.all(closers.map((each) => each()));
  return { lifecycle: { onShutdown } as unknown as Lifecycle, close };
}

test('what could not be told is what comes back, and stays noted', async (t) => {
  const { asked, settled, announcements } = announcing((id) => id.endsWith('7'));
  const untold = await announcements.tell(changed);
  t.same(
    untold,
    changed.filter(({ id }) => id.endsWith('7')),
  );
  t.equal(asked.length, 1_000);
  t.same(
    settled,
    changed.map(({ id }) => id).filter((id) => !id.endsWith('7')),
  );
  t.same(await announcing(() => false).announcements.tell(changed), []);
});

test('a Redis that is away is not asked about each of them', async (t) => {
  const { asked, settled, announcements } = announcing(() => true);
  t.same(await announcements.tell(changed), changed);
  t.equal(asked.length, 50);
  t.same(settled, []);
});

test('what nobody knows of is not promised, whatever happens to the clock', async (t) => {
  let passedMs = 0;
  const { asked, announcements } = announcing(() => {
    passedMs += 1_000;
    return true;
  });
  const monotonic = performance.now.bind(performance);
  t.intercept(performance, 'now', { value: () => monotonic() + passedMs });
  const real = Date.now.bind(Date);
  let leap = 0;
  t.intercept(Date, 'now', { value: () => real() + leap });
  const saved = { kind: 'unavailable', code: 'SERVICE_UNAVAILABLE', message: /was saved/ };
  const announced = t.rejects(announcements.announce(changed.slice(0, 1)), saved);
  leap = -20_000;
  await announced;
  t.ok(asked.length <= 5, 'a clock that was set back prolongs nothing');
  const first = changed[0] as Changed;
  await t.rejects(announcements.assertAble(first), { ...saved, message: /Nothing was changed/ });
});

test('Redis is relied on where it lacks nothing, and others wait for this gateway', async (t) => {
  const first = changed.slice(0, 1);
  const cases = [
    { relies: true, refuses: () => false, database: { noted: [[], first] } },
    { relies: true, refuses: () => true, database: {} },
    { relies: false, refuses: () => true, database: { noted: [[], first] } },
    { relies: false, refuses: () => false, database: { isForgotten: true } },
  ];
  for (const { relies, refuses, database } of cases) {
    const { announcements, relied } = announcing(refuses, database);
    t.equal(announcements.reliesOnRedis, false, 'not before it has begun');
    const { lifecycle, close } = ending();
    await announcements.start(lifecycle);
    t.equal(announcements.reliesOnRedis, relies);
    t.same(relied, [false, false], 'not before others hear of it');
    await close();
  }
});

test('a gateway knows of all that is noted, however much that is', async (t) => {
  let told = 0;
  const enlist = () => {
    told = asked.length;
  };
  const noted = [changed.slice(0, 500), changed.slice(500)];
  const { asked, announcements } = announcing(() => false, { noted, enlist });
  const { lifecycle, close } = ending();
  await announcements.start(lifecycle);
  t.equal(told, 1_000, 'when it says so');
  await close();
});

test('a database that is slow to answer takes nothing from Redis', async (t) => {
  const real = performance.now.bind(performance);
  let leap = 0;
  t.intercept(performance, 'now', { value: () => real() + leap });
  const draw = () => {
    leap += 2_000;
  };
  const { announcements } = announcing(() => false, { draw });
  const { lifecycle, close } = ending();
  await announcements.start(lifecycle);
  t.equal(announcements.reliesOnRedis, true);
  await close();
});

test('without the database Redis is relied on for an hour', async (t) => {
  const real = performance.now.bind(performance);
  let leap = 0;
  t.intercept(performance, 'now', { value: () => real() + leap });
  const { announcements } = announcing(() => false);
  const { lifecycle, close } = ending();
  await announcements.start(lifecycle);
  await close();
  leap = 50 * 60_000;
  t.equal(announcements.reliesOnRedis, true);
  leap = 60 * 60_000;
  t.equal(announcements.reliesOnRedis, false, 'as others may have forgotten this gateway');
});

test('Redis is relied on no longer before others hear that it lacks a change', async (t) => {
  const noted = [[], [], changed.slice(0, 1)];
  const { announcements, relied } = announcing(() => true, { noted });
  const { lifecycle, close } = ending();
  await announcements.start(lifecycle);
  t.equal(announcements.reliesOnRedis, true);
  await until(() => relied.length >= 3, { what: 'the third turn' });
  t.equal(relied[2], false);
  await close();
});

test('a gateway relies on Redis once it knows that others wait for it', async (t) => {
  let tries = 0;
  const enlist = () => {
    tries += 1;
    // It may still be carried out, at any time.
    if (tries === 1) throw new Error('no answer');
  };
  const { announcements, relied } = announcing(() => false, { enlist });
  const { lifecycle, close } = ending();
  await announcements.start(lifecycle);
  t.equal(announcements.reliesOnRedis, false);
  await until(() => announcements.reliesOnRedis, { what: 'the third turn' });
  t.same([tries, relied], [2, [false, false, false]]);
  await close();
});

test('a gateway that ends before it has begun is not on the list', async (t) => {
  const enlisted: boolean[] = [];
  const { announcements } = announcing(() => false, { enlist: () => enlisted.push(true) });
  const { lifecycle, close } = ending();
  const started = announcements.start(lifecycle);
  await close();
  await started;
  t.same(enlisted, []);
});
