import { test } from 'tap';
import { connectivityFault } from '../connectivity.js';
import { inGroups } from './groups.js';

test('a group is what queued while the one before it was handled, up to its size', async (t) => {
  const groups: number[][] = [];
  let release: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const handle = inGroups<number>({ maxGroup: 3 }, async (items) => {
    groups.push(items);
    await gate;
  });
  const first = handle(1);
  await new Promise((resolve) => setImmediate(resolve));
  t.same(groups, [[1]], 'the first does not wait for company');
  const others = [2, 3, 4, 5].map(handle);
  release();
  await Promise.all([first, ...others]);
  t.same(groups, [[1], [2, 3, 4], [5]]);
  await handle(6);
  t.same(groups.at(-1), [6], 'and again after a pause');
});

test('what comes before the next group may begin shares it', async (t) => {
  const groups: number[][] = [];
  const handle = inGroups<number>({ maxGroup: 3, everyMs: 50 }, async (items) => {
    groups.push(items);
  });
  await handle(1);
  const second = handle(2);
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([second, handle(3)]);
  t.same(groups, [[1], [2, 3]]);
});

test('what fills a group does not wait for the next to begin', async (t) => {
  const groups: number[][] = [];
  const handle = inGroups<number>({ maxGroup: 2, everyMs: 60_000 }, async (items) => {
    groups.push(items);
  });
  await handle(1);
  await Promise.all([2, 3, 4, 5].map(handle));
  t.same(groups, [[1], [2, 3], [4, 5]]);
});

test('an item that fails fails alone', async (t) => {
  const handled: number[] = [];
  const handle = inGroups<number>({ maxGroup: 10 }, async (items) => {
    if (items.includes(3)) throw new Error('not three');
    handled.push(...items);
  });
  const results = await Promise.allSettled([1, 2, 3, 4].map(handle));
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  t.same(handled, [1, 2, 4]);
});

const overloaded = Object.assign(new Error('canceling statement'), { code: '57014' });

test('a store that is away or overloaded is not asked for each item', async (t) => {
  const asked: number[][] = [];
  const handle = inGroups<number>({ maxGroup: 10 }, async (items) => {
    asked.push(items);
    throw overloaded;
  });
  const results = await Promise.allSettled([1, 2, 3].map(handle));
  t.match(results, Array(3).fill({ status: 'rejected', reason: overloaded }));
  t.same(asked, [[1, 2, 3]]);
});

test('a store that goes away between two items is not asked for the others', async (t) => {
  const asked: number[][] = [];
  const handle = inGroups<number>({ maxGroup: 10 }, async (items) => {
    asked.push(items);
    if (items.length > 1) throw new Error('one of them cannot be handled');
    if (items.includes(2)) throw overloaded;
  });
  const results = await Promise.allSettled([1, 2, 3, 4].map(handle));
  t.match(results, [{ status: 'fulfilled' }, ...Array(3).fill({ reason: overloaded })]);
  t.same(asked, [[1, 2, 3, 4], [1], [2]]);
});

test('what a driver says of a store that is away becomes 503, however it is wrapped', async (t) => {
  const coded = (code: string) => Object.assign(new Error('x'), { code });
  const wrapped = Object.assign(new Error('x', { cause: coded('57P01') }), { code: 'P2010' });
  const adapter = Object.assign(new Error('x'), {
    code: 'P2010',
    meta: { driverAdapterError: new Error('y', { cause: { originalCode: '55P03' } }) },
  });
  const inTransaction = new Error('Client has encountered a connection error and is not queryable');
  const silent = new Error('Query read timeout');
  const uncoded = [inTransaction, silent, new Error('Connection terminated unexpectedly')];
  const refused = ['ECONNREFUSED', 'ENOENT', 'EMFILE', '53300', 'P2024'].map(coded);
  const noWay = [coded('EHOSTUNREACH'), coded('ENETUNREACH')];
  const standby = coded('25006');
  const notLetIn = ['28P01', '28000', '3D000', 'P1000', 'P1003', 'P1010'].map(coded);
  const untrusted = ['CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN', 'P1011'].map(coded);
  const halfReplaced = coded('ERR_OSSL_X509_KEY_VALUES_MISMATCH');
  const away = [
    ...untrusted,
    halfReplaced,
    ...refused,
    ...noWay,
    standby,
    ...notLetIn,
    ...uncoded,
    wrapped,
    adapter,
  ];
  for (const error of away) {
    t.match(connectivityFault(error), { kind: 'unavailable', code: 'SERVICE_UNAVAILABLE' });
  }
  for (const error of [coded('23505'), coded('P2002'), new Error('a mistake'), null, 'text']) {
    t.equal(connectivityFault(error), error);
  }
});
