/** What a token may do, as its credential is changed. */
import { decodeJwt } from 'jose';
import { t as file, test } from 'tap';
import { newAddress, type Replica, World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const first = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' });
const second = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' });
const agents = '/api/v1/agents';

/** Functions that exchange a credential for a token, and that change it. */
async function oauthClient(terms: Record<string, unknown>) {
  const client = await first.client(world.identity);
  const issued = await first.key(client.id, { kind: 'oauth_client', ...terms });
  const secrets = { client_id: issued.oauth_client_id, client_secret: issued.client_secret };
  const ask = (asked: object = {}, replica = first) => {
    const body = { grant_type: 'client_credentials', ...secrets, ...asked };
    return replica.call('/api/v1/oauth/token', { body, ip: newAddress() });
  };
  const token = async (): Promise<string> => (await ask()).json.access_token;
  const change = (to: Record<string, string>) =>
    first.operate('PATCH', `/credentials/${issued.id}`, to);
  return { ask, token, change };
}

test('what is taken from a credential is taken from its tokens, everywhere at once', async (t) => {
  const { token: exchange, change } = await oauthClient({ scopes: 'agents,mandates' });
  const some = await exchange();
  await change({ scopes: '' });
  const all = await exchange();
  const status = async (token: string, replica: Replica) =>
    (await replica.call(agents, { token })).status;
  for (const [scopes, ofSome, ofAll] of [
    ['agents', 200, 200],
    ['mandates', 403, 403],
    ['webhooks', 403, 403],
    ['agents,webhooks', 200, 200],
  ] as const) {
    await change({ scopes });
    for (const replica of [second, first]) {
      t.equal(await status(some, replica), ofSome, `${scopes}: of two scopes`);
      t.equal(await status(all, replica), ofAll, `${scopes}: of all`);
    }
  }
  const refused = await second.call('/api/v1/mandates', { token: some, body: { amount: 1 } });
  t.match(refused.json.error.details, { errors: [{ type: 'scope_missing' }] }, 'never more');
});

test('a token never has more access than its credential had, or has', async (t) => {
  const { token: exchange, change } = await oauthClient({ access: 'read' });
  const reading = await exchange();
  const status = async (token: string, body?: object) =>
    Promise.all(
      [first, second].map(async (replica) => {
        const path = body ? '/api/v1/mandates' : agents;
        return (await replica.call(path, { token, ...(body && { body }) })).status;
      }),
    );
  t.same(await status(reading), [200, 200]);
  t.same(await status(reading, { amount: 1 }), [403, 403]);
  t.match((await change({ access: 'full' })).json, { access: 'full' });
  t.same(await status(reading, { amount: 1 }), [403, 403], 'it gains nothing');
  const changing = await exchange();
  t.same(await status(changing, { amount: 1 }), [201, 201]);
  for (const access of ['spend', 'read'] as const) {
    await change({ access });
    t.same(await status(changing, { amount: 1 }), [403, 403], 'and loses what is taken');
  }
  t.same(await status(changing), [200, 200]);
});

test('a token lasts a quarter of an hour, or as long as its credential if less', async (t) => {
  let now = Date.now();
  const clock = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' }, { clock: () => now });
  for (const [ofCredential, ofToken] of [
    [86_400, 900],
    [120, 120],
  ] as const) {
    const expires_at = new Date(now + ofCredential * 1_000).toISOString();
    const { json } = await (await oauthClient({ expires_at })).ask({}, clock);
    t.equal(json.expires_in, ofToken);
    const token: string = json.access_token;
    const { exp } = decodeJwt(token);
    now = Number(exp) * 1_000 - 1;
    t.equal((await clock.call(agents, { token })).status, 200);
    now += 1;
    t.equal((await clock.call(agents, { token })).status, 401, 'from its last moment on');
  }
});

test('whoever asks for less in a wrong way does not get everything', async (t) => {
  const { ask } = await oauthClient({});
  for (const scope of [['agents'], { agents: true }, 1, true]) {
    const json = { error: 'invalid_scope' };
    t.match(await ask({ scope }), { status: 400, json }, JSON.stringify(scope));
  }
  t.match(await ask({ scope: null }), { status: 200, json: { scope: '*' } }, 'as if left out');
  t.match(await ask({ scope: 'agents' }), { status: 200, json: { scope: 'agents' } });
});
