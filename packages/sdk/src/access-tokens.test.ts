import { type Test, test } from 'tap';
import { AccessTokens } from './access-tokens.js';
import { Transport } from './http/transport.js';
import { AuthenticationError, Countersign } from './index.js';
import { type Given, inTurn, type Received, refused, serve, thrown } from './test/service.js';

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

/** The credential over a clock that a test sets, and how often a token was asked for. */
function timed(baseUrl: string) {
  const clock = { nowMs: 0 };
  let asked = 0;
  const counting: typeof fetch = (...request) => {
    asked += 1;
    return fetch(...request);
  };
  const transport = new Transport({ baseUrl, timeoutMs: 5_000, maxRetries: 0, fetch: counting });
  const tokens = new AccessTokens(oauth, transport, () => clock.nowMs);
  const token = async (): Promise<[text: string | undefined, asked: number]> => {
    const { authorization } = await tokens.headers({ ms: 5_000, signal: undefined });
    // Lets any concurrent request be sent.
    await new Promise(setImmediate);
    return [authorization, asked];
  };
  return { clock, token };
}

for (const [seconds, whole, late, ended] of [
  [900, 839_000, 841_000, 901_000],
  [50, 39_000, 41_000, 51_000],
] as const) {
  test(`a token of ${seconds} s is renewed before it ends, and nobody waits`, async (t) => {
    const { baseUrl } = await issuer(t, { seconds });
    const { clock, token } = timed(baseUrl);
    t.same(await token(), ['Bearer token-1', 1]);
    clock.nowMs = whole;
    t.same(await token(), ['Bearer token-1', 1]);
    clock.nowMs = late;
    t.same(await token(), ['Bearer token-1', 2], 'good for a while yet');
    clock.nowMs = ended;
    t.same(await token(), ['Bearer token-2', 2], 'whoever comes after its end waits for the next');
  });
}

test('a renewal that fails is told to nobody before the token has ended', async (t) => {
  const body = { access_token: 'token-1', expires_in: 900 };
  const { baseUrl } = await serve(t, inTurn({ body }, refused(401, 'invalid_client')));
  const { clock, token } = timed(baseUrl);
  await token();
  clock.nowMs = 841_000;
  // The next is asked for once the one before has failed, of which Node.js must not hear.
  let [text, asked] = await token();
  while (asked < 3) [text, asked] = await token();
  t.equal(text, 'Bearer token-1');
  clock.nowMs = 901_000;
  await t.rejects(token(), AuthenticationError);
});

test('an answer without a usable token is none of the service', async (t) => {
  for (const body of [
    { access_token: 'token\r\nx-a: b', expires_in: 900 },
    { access_token: 'token-1', expires_in: '900' },
    {},
  ]) {
    const { client } = await serve(t, () => ({ body }));
    const { agents } = client({ apiKey: undefined, oauth, maxRetries: 0 });
    const error = await thrown(agents.get('agt_1'));
    t.match(error, { name: 'UnavailableError', code: 'UNEXPECTED_ANSWER', outcomeUnknown: false });
  }
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

test('a 401 that is not about the token leaves it to all others', async (t) => {
  const errors = [{ field: 'X-Principal-Id', message: '', type: 'principal_required' }];
  for (const refusal of [refused(401, 'ERROR', { errors }), refused(401, 'INVALID_API_KEY')]) {
    const { client, exchanges } = await issuer(t, { answer: () => refusal });
    for (let call = 0; call < 3; call += 1) {
      await t.rejects(client.agents.get('agt_1'), AuthenticationError);
    }
    t.equal(exchanges().length, 1);
  }
});

test('a refusal of the token before does not take the new one', async (t) => {
  const { baseUrl, exchanges, received } = await issuer(t, {
    answer: (token) => (token === 'Bearer token-1' ? refused(401, 'ERROR') : agent),
  });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const late: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    if (String(request[0]).endsWith('agt_late') && response.status === 401) await held;
    return response;
  };
  const client = new Countersign({ baseUrl, oauth, fetch: late });
  const hearsLate = client.agents.get('agt_late');
  await client.agents.get('agt_1');
  release();
  await hearsLate;
  t.equal(exchanges().length, 2);
  t.equal(received.at(-1)?.headers.authorization, 'Bearer token-2');
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
