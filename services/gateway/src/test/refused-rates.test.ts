import { Metrics } from '@countersign/runtime/metrics';
import { t as file, type Test, test } from 'tap';
import { Admission } from '../admission/admission.js';
import { DispatchPacer } from '../admission/dispatch-pacer.js';
import { newApiKey } from '../authentication/secrets.js';
import { admitted } from '../middleware/admit.js';
import { answerErrors } from '../middleware/answer-errors.js';
import { setExhaustedHeaders } from '../middleware/exhausted-headers.js';
import type { RequestContext } from '../middleware/state.js';
import { routes } from '../routes.js';
import type { Answer } from './request.js';
import { newAddress, type Replica, World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const replica = await world.replica();

/** Every 429 says which limit was met, that nothing is left of it, and from when on it is. */
function tellsLimit(
  t: Test,
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  limit: number,
) {
  t.equal(status, 429);
  t.equal(headers.get('x-ratelimit-limit'), String(limit));
  t.equal(headers.get('x-ratelimit-remaining'), '0');
  const inSeconds = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1_000;
  const wait = Number(headers.get('retry-after'));
  t.ok(wait >= 1, `to be asked again after ${wait} s`);
  t.ok(inSeconds > wait - 2 && inSeconds < wait + 65, `full again in ${inSeconds} s`);
}

async function failUntilRefused(asked: Replica, tries: number, ip = newAddress()): Promise<Answer> {
  const call = () => asked.call('/api/v1/agents', { key: newApiKey('sandbox'), ip });
  for (let failed = 0; failed < tries; failed += 1) await call();
  return call();
}

function exchange(fields: Record<string, string>, ip: string, headers = {}): Promise<Answer> {
  const body = { grant_type: 'client_credentials', ...fields };
  return replica.call('/api/v1/oauth/token', { body, ip, headers });
}

test('the throttle of failed authentications tells how many tries its window has', async (t) => {
  const ip = newAddress();
  tellsLimit(t, await failUntilRefused(replica, 10, ip), 10);
  const token = await exchange({ client_id: 'svcoc_x', client_secret: 'x' }, ip);
  tellsLimit(t, token, 10);
  const half = await world.replica({ RATE_LIMIT_MULTIPLIER: '0.5' });
  tellsLimit(t, await failUntilRefused(half, 5), 5);
});

for (const how of ['in the body', 'by HTTP Basic'] as const) {
  test(`the token endpoint tells the bucket of a client id that comes ${how}`, async (t) => {
    const { id } = await replica.client(world.identity);
    const { oauth_client_id: client_id, client_secret } = await replica.key(id, {
      kind: 'oauth_client',
    });
    const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
    const asOwner = () =>
      how === 'in the body'
        ? exchange({ client_id, client_secret }, newAddress())
        : exchange({}, newAddress(), { Authorization: `Basic ${basic}` });
    // On a slow machine the bucket gains one or the other meanwhile.
    let answer = await asOwner();
    for (let n = 0; n < 50 && answer.status === 200; n += 1) answer = await asOwner();
    tellsLimit(t, answer, 10);
    t.ok(Number(answer.headers.get('retry-after')) <= 6, 'the next is possible before all are');
  });
}

test('at capacity it is told how many authorizations may be under pipeline at once', async (t) => {
  const admission = new Admission({ deadlineMs: 1_500, metrics: new Metrics('test') });
  let inFlight = 0;
  while (admission.enter() !== null) inFlight += 1;
  const row = routes.find(({ plane }) => plane === 'authorize');
  const state = { requestId: 'req_1', route: row, headers: {}, status: 200, text: null };
  const ctx = { state, req: { headers: {} } } as unknown as RequestContext;
  const letIn = async (): Promise<void> => void t.fail('it is let in');
  const pipeline = admitted({ admission, pacer: new DispatchPacer() }, letIn);
  const thrown = await pipeline(ctx).catch((error: unknown) => error);
  const { config, log, clock } = replica.context;
  answerErrors({ config, log, clock })(ctx, thrown);
  const headers = new Headers(ctx.state.headers);
  tellsLimit(t, { status: ctx.state.status, headers }, inFlight);
});

test('whoever cannot be recognised is told the bucket that such a credential has', async (t) => {
  const cut = await world.replica({}, { routes });
  const { config, pool, authentication } = cut.context;
  t.equal(config.rateLimitMultiplier, 1);
  const { id } = await cut.client(world.identity);
  const tokens: string[] = [];
  for (const environment of ['live', 'sandbox']) {
    const issued = await cut.key(id, { kind: 'oauth_client', environment });
    const fields = { client_id: issued.oauth_client_id, client_secret: issued.client_secret };
    const { json } = await exchange(fields, newAddress());
    // Known from its signature alone, as the database is away when its credential is looked up.
    await authentication.tokens.verify(json.access_token);
    tokens.push(json.access_token);
  }
  const [live = '', sandbox = ''] = tokens;
  pool.query = () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
  const authorize = (credential: { key?: string; token?: string }) =>
    cut.call('/api/v1/authorize', { ...credential, body: { amount: '1' } });
  tellsLimit(t, await authorize({ key: newApiKey('sandbox') }), 50);
  tellsLimit(t, await authorize({ key: newApiKey('live') }), 200);
  tellsLimit(t, await authorize({ token: live }), 200);
  tellsLimit(t, await authorize({ token: sandbox }), 50);
  const counted = await cut.context.metrics.registry.getSingleMetricAsString(
    'countersign_http_public_failed_total',
  );
  t.match(counted, /path="\/api\/v1\/authorize".* 4$/, 'an outage is told from a limit');
});

test('whoever is not recognised is told the limit as it is scaled here', (t) => {
  for (const [rateLimitMultiplier, limit] of [
    [1, '200'],
    [0.5, '100'],
    [0, '200'],
  ] as const) {
    const route = routes.find(({ plane }) => plane === 'authorize');
    const req = { headers: { 'x-api-key': newApiKey('live') } };
    const ctx = { req, state: { headers: {}, route } } as unknown as RequestContext;
    setExhaustedHeaders({ clock: Date.now, config: { rateLimitMultiplier } })(ctx);
    t.equal(ctx.state.headers['X-RateLimit-Limit'], limit, `times ${rateLimitMultiplier}`);
  }
  t.end();
});

test('no limit is told to be full again before a call may be repeated', async (t) => {
  const { config } = replica.context;
  const told = (retryAfter: string, reset?: string) => {
    const headers = {
      'X-RateLimit-Limit': '10',
      'Retry-After': retryAfter,
      ...(reset !== undefined && { 'X-RateLimit-Reset': reset }),
    };
    const ctx = { req: { headers: {} }, state: { headers } } as unknown as RequestContext;
    setExhaustedHeaders({ clock: () => 5_400, config })(ctx);
    return ctx.state.headers['X-RateLimit-Reset'];
  };
  t.equal(told('2'), '8', 'two seconds after 5.4 s it is past 7');
  t.equal(told('2', '7'), '8');
  t.equal(told('2', '9'), '9', 'the bucket is full later');
});
