import type { Environment } from '@countersign/kernel/environment';
import { test } from 'tap';
import type { TokenKeys } from './authentication/token-keys.js';
import type { Clients } from './clients.js';
import { PublishedKeys } from './published-keys.js';

const hour = 3_600_000;

/** The keys of a decision service with one key in each environment, each of which can be away. */
function publishedKeys() {
  const state = {
    now: 1_000_000,
    away: [] as Environment[],
    newest: 1,
    asked: 0,
    withOauth: [] as readonly Environment[],
  };
  const ListSigningKeys = async (_: object, { environment }: { environment: Environment }) => {
    state.asked += 1;
    if (state.away.includes(environment)) throw new Error(`${environment} is away`);
    return { keys: [{ kid: `${environment}-${state.newest}` }] };
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
  const kids = async () => (await keys.read('req-1')).signing.map(({ key }) => key.kid);
  return { state, keys, kids };
}

test('each signing key is published with the environment that it signs in', async (t) => {
  const { keys, state } = publishedKeys();
  const { signing } = await keys.read('req-1');
  t.same(
    signing.map(({ environment, key }) => [environment, key.kid]),
    [
      ['live', 'live-1'],
      ['sandbox', 'sandbox-1'],
    ],
  );
  t.same(state.withOauth, ['sandbox'], 'no token keys where tokens are off');
});

test('without the decision service the known keys are published for a day', async (t) => {
  const { keys, state } = publishedKeys();
  const known = await keys.read('req-1');
  state.away = ['live', 'sandbox'];
  state.now += 24 * hour - 1;
  t.same(await keys.read('req-2'), known);
  state.now += 1;
  await t.rejects(keys.read('req-3'), { message: 'live is away' });
  state.away = [];
  state.now += 1_000;
  t.same(await keys.read('req-4'), known);
});

test('an outage of one environment does not freeze the keys of the other', async (t) => {
  const { kids, state } = publishedKeys();
  await kids();
  state.newest = 2;
  state.now += 5_000;
  state.away = ['sandbox'];
  t.same(await kids(), ['live-2', 'sandbox-1']);
  state.newest = 3;
  state.now += 5_000;
  state.away = ['live'];
  t.same(await kids(), ['live-2', 'sandbox-3']);
});

test('keys of the sandbox that are not known are left out, those of live never', async (t) => {
  const { keys, kids, state } = publishedKeys();
  state.away = ['sandbox'];
  t.same(await kids(), ['live-1']);
  t.equal((await keys.read('req-1')).complete, false);
  state.away = [];
  state.now += 1_000;
  t.same(await kids(), ['live-1', 'sandbox-1']);
  t.equal((await keys.read('req-1')).complete, true);

  const { kids: kidsOfOther, state: other } = publishedKeys();
  other.away = ['live'];
  await t.rejects(kidsOfOther(), { message: 'live is away' });
});

test('a service that is away is asked no more often for being asked for more', async (t) => {
  const { keys, state } = publishedKeys();
  state.away = ['live', 'sandbox'];
  for (let i = 0; i < 5; i += 1) await t.rejects(keys.read('req-1'));
  t.equal(state.asked, 2, 'once for each environment');
});

test('keys that are outdated are published only while no newer ones can be read', async (t) => {
  const { keys, kids, state } = publishedKeys();
  await kids();
  state.newest = 2;
  keys.outdate('live');
  state.away = ['live'];
  t.same(await kids(), ['live-1', 'sandbox-1']);
  state.away = [];
  state.now += 1_000;
  t.same(await kids(), ['live-2', 'sandbox-1']);
});
