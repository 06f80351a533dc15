import { type Test, test } from 'tap';
import { AccessTokens } from './access-tokens.js';
import { Transport } from './http/transport.js';
import { AuthenticationError } from './index.js';
import { type Given, type Received, refused, serve } from './test/service.js';

const oauth = { clientId: 'svcoc_test_1', clientSecret: 'svcos_secret', scope: 'agents' };
const agent = { body: { id: 'agt_1' } };

/** Tokens are numbered; `answer` receives the number of the token that a call was made with. */
async function issuer(
  t: Test,
  {
    seconds = 900,
    answer = () => agent,
  }: {
    seconds?: number;
    answer?: (token: string, asked: Received) => Given;
  } = {},
) {
  let issued = 0;
  const service = await serve(t, (asked) => {
    if (asked.path !== '/api/v1/oauth/token') {
      return answer(asked.headers.authorization ?? '', asked);
    }
    issued += 1;
    return { body: { access_token: `token-${issued}`, token_type: 'Bearer', expires_in: seconds } };
  });
  const exchanges = () => service.received.filter(({ path }) => path === '/api/v1/oauth/token');
  return { ...service, exchanges, client: service.client({ apiKey: undefined, oauth }) };
}

test('a token is fetched once for all who wait, and used by all who come', async (t) => {
  const seen = new Set<string>();
  const { client, exchanges } = await issuer(t, {
    answer: (token) => {
      seen.add(token);
      return agent;
    },
  });
  await Promise.all(Array.from({ length: 20 }, () => client.agents.get('agt_1')));
  await client.actingFor('prn_1').agents.get('agt_1');
  t.same([...seen], ['Bearer token-1']);
  t.equal(exchanges().length, 1);
  t.match(exchanges()[0], {
    method: 'POST',
    body: { grant_type: 'client_credentials', client_id: 'svcoc_test_1', scope: 'agents' },
  });
  t.notOk(exchanges()[0]?.headers['x-principal-id']);
});

test('a token that has ended is not used', async (t) => {
  const { client, exchanges } = await issuer(t, { seconds: 0 });
  await client.agents.get('agt_1');
  await client.agents.get('agt_1');
  t.equal(exchanges().length, 2);
});

test('a token is renewed before it ends, and nobody waits for that', async (t) => {
  const { baseUrl } = await issuer(t);
  let asked = 0;
  const counting: typeof fetch = (...request) => {
    asked += 1;
    return fetch(...request);
  };
  const transport = new Transport({ baseUrl, timeoutMs: 5_000, maxRetries: 0, fetch: counting });
  let nowMs = 0;
  const tokens = new AccessTokens(oauth, transport, () => nowMs);
  const within = { ms: 5_000, signal: undefined };
  const token = async () => {
    const { authorization } = await tokens.headers(within);
    // Lets any concurrent request be sent.
    await new Promise(setImmediate);
    return [authorization, asked];
  };
  t.same(await token(), ['Bearer token-1', 1]);
  nowMs = 839_000;
  t.same(await token(), ['Bearer token-1', 1]);
  nowMs = 841_000;
  t.same(await token(), ['Bearer token-1', 2], 'good for a while yet');
  nowMs = 901_000;
  t.same(await token(), ['Bearer token-2', 2], 'whoever comes after its end waits for the new one');
});

test('a token that is refused is replaced, once', async (t) => {
  const replaced = await issuer(t, {
    answer: (token) => (token === 'Bearer token-1' ? refused(401, 'ERROR') : agent),
  });
  // Not repeatable, but a request refused with 401 had no effect.
  await replaced.client.stepUps.confirm('auth_1');
  t.equal(replaced.exchanges().length, 2);

  const ended = await issuer(t, { answer: () => refused(401, 'ERROR') });
  await t.rejects(ended.client.agents.get('agt_1'), AuthenticationError);
  t.equal(ended.exchanges().length, 2, 'and not for ever');
});

test('who stops waiting for a token stops alone', async (t) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const service = await serve(t, ({ path }) =>
    path === '/api/v1/oauth/token' ? { body: { access_token: 'token-1', expires_in: 900 } } : agent,
  );
  const slow: typeof fetch = async (...request) => {
    await held;
    return fetch(...request);
  };
  const client = service.client({ apiKey: undefined, oauth, fetch: slow });
  const controller = new AbortController();
  const impatient = client.agents.get('agt_1', { signal: controller.signal });
  const patient = client.agents.get('agt_1');
  controller.abort(new Error('enough'));
  await t.rejects(impatient, { message: 'enough' });
  release();
  t.match(await patient, { id: 'agt_1' });
});
