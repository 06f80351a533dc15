import { Cipher } from '@countersign/kernel/cipher';
import type { Environment } from '@countersign/kernel/environment';
import { closeStore } from '@countersign/runtime/database/stores';
import { createLog } from '@countersign/runtime/log';
import { createTestDatabase } from '@countersign/runtime/testing';
import root, { test } from 'tap';
import { openStore } from '../db.js';
import { KeyStore } from './key-store.js';

const hour = 3_600_000;
const start = Date.parse('2026-11-21T12:00:00.000Z');
let now = start;

const log = createLog({ service: 'test', level: 'silent' });
const database = await createTestDatabase('decision');
const store = openStore(database.url, { size: 2, log });
root.teardown(async () => {
  await closeStore(store);
  await database.drop();
});
const { prisma } = store;
const cipher = new Cipher([Buffer.alloc(32, 1)]);
const keysOf = (environment: Environment) =>
  new KeyStore({ environment, prisma, cipher, clock: () => now });
const keys = keysOf('live');
await keys.ensure();

async function keyOf(status: string) {
  const found = (await keys.list()).find((key) => key.status === status);
  if (!found) throw new Error(`no key is ${status}`);
  return found;
}

test('a private key is of use only for its own kid, in its own environment', async (t) => {
  const [active, next] = [await keyOf('ACTIVE'), await keyOf('NEXT')];
  t.equal(keys.open(active).kid, active.kid);
  t.throws(() => keysOf('sandbox').open(active));
  t.throws(() => keys.open({ ...active, sealedPrivate: next.sealedPrivate }));
});

test('a key is announced a day before its use, unless it is needed earlier', async (t) => {
  const validFrom = async (status: string) => (await keyOf(status)).notBefore.getTime();
  t.equal(await validFrom('ACTIVE'), start);
  t.equal(await validFrom('NEXT'), start + 24 * hour);
  now = start + hour;
  await keys.rotate();
  t.equal(await validFrom('ACTIVE'), now, 'what it signs is not older than the key');
  t.equal(await validFrom('NEXT'), now + 24 * hour);
  now += 48 * hour;
  await keys.rotate();
  t.equal(await validFrom('ACTIVE'), start + 25 * hour, 'as it was announced');
  t.equal((await keyOf('ACTIVE')).activatedAt?.getTime(), now);
});
