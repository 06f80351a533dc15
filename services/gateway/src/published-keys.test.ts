import type { Environment } from '@countersign/kernel/environment';
import { test } from 'tap';
import type { TokenKeys } from './authentication/token-keys.js';
import type { Clients } from './clients.js';
import { PublishedKeys } from './published-keys.js';

const hour = 3_600_000;

/** The keys of a decision service with one key in each environment, which can be away. */
function publishedKeys() {
  const state = { now: 1_000_000, isAway: false, withOauth: [] as readonly Environment[] };
  const ListSigningKeys = async (_request: object, { environment }: { environment: string }) => {
    if (state.isAway) throw new Error('away');
    return { keys: [{ kid: `key-${environment}` }] };
  };
  const publicKeys = async (environments: readonly Environment[]) => {
    state.withOauth = environments;
    return [];
  };
  const keys = new PublishedKeys({
    clients: { decision: { call: { ListSigningKeys } } } as unknown as Pick<Clients, 'decision'>,
    tokenKeys: { publicKeys } as unknown as TokenKeys,
    clock: () => state.now,
    oauthEnvironments: ['sandbox'],
  });
  return { state, keys };
}

test('each signing key is published with the environment that it signs in', async (t) => {
  const { keys, state } = publishedKeys();
  const { signing } = await keys.read('req-1');
  t.same(
    signing.map(({ environment, key }) => [environment, key.kid]),
    [
      ['live', 'key-live'],
      ['sandbox', 'key-sandbox'],
    ],
  );
  t.same(state.withOauth, ['sandbox'], 'no token keys where tokens are off');
});

test('without the decision service the known keys are published for a day', async (t) => {
  const { keys, state } = publishedKeys();
  const known = await keys.read('req-1');
  state.isAway = true;
  state.now += 24 * hour - 1;
  t.same(await keys.read('req-2'), known);
  state.now += 1;
  await t.rejects(keys.read('req-3'), { message: 'away' });
  state.isAway = false;
  t.same(await keys.read('req-4'), known);
});

test('keys that are outdated are published only while no newer ones can be read', async (t) => {
  const { keys, state } = publishedKeys();
  const known = await keys.read('req-1');
  keys.outdate();
  state.isAway = true;
  t.equal(await keys.read('req-2'), known);
  state.isAway = false;
  t.not(await keys.read('req-3'), known);
});
