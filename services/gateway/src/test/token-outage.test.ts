import { Fault } from '@countersign/kernel/fault';
import { Wire } from '@countersign/runtime/testing/wire';
import { t as file, type Test, test } from 'tap';
import type { Answer } from './request.js';
import { newAddress, World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const wire = await Wire.to(world.databaseUrl);
file.teardown(() => wire.close());
const gateway = await world.replica({ DATABASE_URL: wire.url, RATE_LIMIT_MULTIPLIER: '0' });
const client = await gateway.client(world.identity);
const issued = await gateway.key(client.id, { kind: 'oauth_client' });
const { reader } = gateway.context.authentication;

function ask(once = true): Promise<Answer> {
  const credentials = { client_id: issued.oauth_client_id, client_secret: issued.client_secret };
  const body = { grant_type: 'client_credentials', ...credentials };
  return gateway.call('/api/v1/oauth/token', { body, ip: newAddress(), once });
}

function isOutage(t: Test, { status, json, headers }: Answer, what: string): void {
  t.equal(status, 503, what);
  t.match(json, { error: 'temporarily_unavailable', error_description: String }, what);
  t.same(Object.keys(json), ['error', 'error_description'], what);
  t.equal(headers.get('retry-after'), '1', what);
  t.equal(headers.get('cache-control'), 'no-store', what);
}

test('an outage at the token endpoint is told in the words of RFC 6749', async (t) => {
  wire.cut();
  isOutage(t, await ask(), 'no credential can be read');
  wire.mend();
  const read = reader.byOauthClientId.bind(reader);
  const cutting = t.intercept(reader, 'byOauthClientId', {
    value: async (id: string) => {
      const credential = await read(id);
      wire.cut();
      return credential;
    },
  });
  isOutage(t, await ask(), 'no key can be read to sign with');
  wire.mend();
  cutting.restore();
  t.equal((await ask(false)).status, 200, 'and afterwards there are tokens');
});

test('so is what did not end in time', async (t) => {
  t.intercept(reader, 'byOauthClientId', {
    value: async () => {
      throw new Fault('deadline', { code: 'SERVICE_UNAVAILABLE', message: 'Too late.' });
    },
  });
  isOutage(t, await ask(), 'a deadline');
});
