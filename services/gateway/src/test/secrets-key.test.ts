import { randomBytes } from 'node:crypto';
import { sealBytes } from '@countersign/kernel/cipher';
import { decodeProtectedHeader } from 'jose';
import { t as file, test } from 'tap';
import { resealTokenKeys } from '../authentication/reseal.js';
import { unsealAny } from '../authentication/unseal.js';
import type { Answer } from './request.js';
import { newAddress, type Replica, World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const { identity } = world;
const newKey = () => randomBytes(32).toString('base64');

test('token keys outlive their SECRETS_KEY, and the former one can be dropped', async (t) => {
  const [former, current] = [newKey(), newKey()];
  const settings = { RATE_LIMIT_MULTIPLIER: '0', SECRETS_KEY: current };
  const before = await world.replica({ ...settings, SECRETS_KEY: former });
  const client = await before.client(identity, 1);
  const issued = await before.key(client.id, { kind: 'oauth_client' });
  const exchange = (replica: Replica): Promise<Answer> => {
    const { oauth_client_id: client_id, client_secret } = issued;
    const body = { grant_type: 'client_credentials', client_id, client_secret };
    return replica.call('/api/v1/oauth/token', { body, ip: newAddress() });
  };
  const tokenFrom = async (replica: Replica): Promise<string> =>
    (await exchange(replica)).json.access_token;
  const token = await tokenFrom(before);
  const { kid } = decodeProtectedHeader(token);
  const both = [former, newKey()].join(',');
  await world.replica({ ...settings, SECRETS_KEYS_PREVIOUS: both });
  const after = await world.replica(settings);
  for (const replica of [before, after]) {
    t.equal((await replica.call('/api/v1/agents', { token })).status, 200);
    t.equal(decodeProtectedHeader(await tokenFrom(replica)).kid, kid);
  }
  const stranger = await world.replica({ ...settings, SECRETS_KEYS_PREVIOUS: newKey() });
  t.equal((await stranger.call('/api/v1/agents', { token })).status, 200, 'nothing is undone');
  const lost = await world.replica({ ...settings, SECRETS_KEY: newKey() });
  const unread = await lost.call('/api/v1/agents', { token, once: true });
  t.equal(unread.status, 503, 'it may be good');
  const { status, json, headers } = await exchange(lost);
  t.match({ status, json }, { status: 500, json: { error: 'server_error' } });
  t.same(Object.keys(json), ['error', 'error_description'], 'in the words of RFC 6749');
  t.equal(headers.get('cache-control'), 'no-store');
  const [published] = await lost.context.tokenKeys.publicKeys(['sandbox']);
  t.equal(published?.kid, kid, 'and the key set can be read');
});

test('a replica does not undo what one with a newer SECRETS_KEY has sealed', async (t) => {
  const [oldest, former, current] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const { pool, log } = (await world.replica()).context;
  const secret = Buffer.from('private');
  await pool.query(
    `INSERT INTO token_key (kid, environment, status, public_jwk, sealed_private)
     VALUES ('moving', 'live', 'RETIRED', '{}', $1)`,
    [sealBytes(oldest, 'moving', secret)],
  );
  const newer = { pool, log, cipherKey: current, formerKeys: [former, oldest] };
  const query = async (text: string, values?: unknown[]) => {
    if (/^UPDATE/.test(text)) await resealTokenKeys(newer);
    return pool.query(text, values);
  };
  const overtaken = { query } as unknown as typeof pool;
  await resealTokenKeys({ pool: overtaken, log, cipherKey: former, formerKeys: [oldest] });
  const { rows } = await pool.query(`SELECT sealed_private FROM token_key WHERE kid = 'moving'`);
  t.same(unsealAny([current], 'moving', rows[0].sealed_private), secret);
});
