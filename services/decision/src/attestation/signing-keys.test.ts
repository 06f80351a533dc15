import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from '@countersign/runtime/log';
import { test } from 'tap';
import type { KeyStore, SigningKeyRow } from './key-store.js';
import { SigningKeys } from './signing-keys.js';

/** The keys of a replica whose database answers what the test says. */
async function replica() {
  const said: string[] = [];
  const log = {
    warn: (_about: object, text: string) => void said.push(text),
    info: (_about: object, text: string) => void said.push(text),
  } as unknown as Logger;
  const database = { active: async () => ({ kid: 'one' }) as SigningKeyRow };
  const store = {
    ensure: async () => {},
    active: () => database.active(),
    open: ({ kid }: SigningKeyRow) => ({ kid }),
  } as unknown as KeyStore;
  return { keys: await SigningKeys.open(store, log), database, said };
}

test('without its database a replica signs with the key it has, and says so', async (t) => {
  const { keys, database, said } = await replica();
  t.teardown(() => keys.stop());
  const { active } = database;
  const beAway = async () => {
    database.active = async () => {
      throw new Error('away');
    };
    await keys.reread();
    await keys.reread();
  };
  await beAway();
  t.equal(keys.current().kid, 'one');
  t.same(said, ['signing decisions with this key', 'cannot refresh the signing key']);
  database.active = async () => ({ ...(await active()), kid: 'two' });
  await keys.reread();
  t.equal(keys.current().kid, 'two', 'it goes on reading');
  t.match(said.slice(2), [/^signing decisions/, 'the signing key is refreshed again']);
});

test('a slow read does not bring back the key that was active before a rotation', async (t) => {
  const { keys, database } = await replica();
  t.teardown(() => keys.stop());
  let answer = (): void => {};
  database.active = () =>
    new Promise((resolve) => {
      answer = () => resolve({ kid: 'one' } as SigningKeyRow);
    });
  const slow = keys.reread();
  await nextTurn();
  database.active = async () => ({ kid: 'two' }) as SigningKeyRow;
  const newest = keys.reread();
  await nextTurn();
  answer();
  await Promise.all([slow, newest]);
  t.equal(keys.current().kid, 'two');
});

test('a stop waits for the read that is under way', async (t) => {
  const { keys, database } = await replica();
  let answer = (): void => {};
  database.active = () =>
    new Promise((resolve) => {
      answer = () => resolve({ kid: 'two' } as SigningKeyRow);
    });
  const reading = keys.reread();
  await nextTurn();
  let isOver = false;
  const stopping = keys.stop().then(() => {
    isOver = true;
  });
  await nextTurn();
  t.notOk(isOver);
  answer();
  await Promise.all([reading, stopping]);
  t.equal(keys.current().kid, 'two');
});
