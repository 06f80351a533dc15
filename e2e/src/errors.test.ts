/** Chapter "Errors": three envelopes, the statuses, the codes, and the request id. */
import { request } from 'node:http';
import { startStack } from '@countersign/tools/stack';
import t, { type Test } from 'tap';
import { type Answer, type Api, api } from './api.js';
import { patience } from './patience.js';
import { expectStatus, newSpender, newTenant, operator, paymentBody } from './tenant.js';

const stack = await startStack({ env: { ...patience, RATE_LIMIT_MULTIPLIER: '0' }, seed: false });
t.teardown(() => stack.stop());
const tenant = await newTenant(stack);
const { acting, agentId, principalId } = await newSpender(stack, tenant);
const sibling = await newSpender(stack, tenant);
const open = api(stack.baseUrl);

type Fields = Record<string, unknown>;

/** Asserts the complete platform envelope, with no missing or additional fields. */
function isPlatform(t: Test, answer: Answer, [status, code]: readonly [number, string]): void {
  t.equal(answer.status, status, `${code}: ${answer.text}`);
  t.match(answer.headers.get('content-type'), /^application\/json/);
  t.same(Object.keys(answer.body), ['error']);
  const { error } = answer.body;
  t.same(Object.keys(error).sort(), ['code', 'details', 'docs_url', 'message', 'request_id']);
  t.equal(error.code, code);
  t.ok(error.message.length > 0);
  t.equal(error.request_id, answer.headers.get('x-request-id'));
  t.equal(error.docs_url, `${stack.baseUrl}/api/v1/docs#errors-${code}`);
  if (status !== 422) return;
  for (const each of error.details.errors) {
    t.same(Object.keys(each).sort(), ['field', 'message', 'type'], 'a field error');
  }
}

const unknown = '01k5a3v7q8e9f0g1h2j3k4m5n6';

t.test('what is missing, by its name', async (t) => {
  const rows: Array<[method: string, path: string, code: string, body?: Fields]> = [
    ['GET', `/api/v1/agents/agt_${unknown}`, 'AGENT_NOT_FOUND'],
    ['GET', `/api/v1/agents/agt_${unknown}/metrics`, 'AGENT_NOT_FOUND'],
    [
      'PATCH',
      `/api/v1/agents/agt_${unknown}/status`,
      'AGENT_NOT_FOUND',
      { status: 'ACTIVE', reason: 'x' },
    ],
    ['GET', `/api/v1/mandates/agent/agt_${unknown}`, 'AGENT_NOT_FOUND'],
    ['GET', `/api/v1/authorize/log/agent/agt_${unknown}`, 'AGENT_NOT_FOUND'],
    ['GET', `/api/v1/mandates/mnd_${unknown}`, 'MANDATE_NOT_FOUND'],
    ['GET', `/api/v1/mandates/mnd_${unknown}/budget`, 'MANDATE_NOT_FOUND'],
    ['DELETE', `/api/v1/mandates/mnd_${unknown}`, 'MANDATE_NOT_FOUND'],
    ['GET', `/api/v1/authorize/log/auth_${unknown}`, 'NOT_FOUND'],
    ['GET', `/api/v1/authorize/log/auth_${unknown}/explain`, 'NOT_FOUND'],
    ['GET', `/api/v1/outcomes/auth_${unknown}`, 'NOT_FOUND'],
    ['GET', `/api/v1/webhooks/wh_${unknown}`, 'NOT_FOUND'],
    ['PATCH', `/api/v1/webhooks/wh_${unknown}`, 'NOT_FOUND', { active: true }],
    ['DELETE', `/api/v1/webhooks/wh_${unknown}`, 'NOT_FOUND'],
    ['POST', `/api/v1/webhooks/wh_${unknown}/test`, 'NOT_FOUND'],
    ['POST', `/api/v1/webhooks/wh_${unknown}/rotate-secret`, 'NOT_FOUND'],
    ['GET', `/api/v1/webhooks/wh_${unknown}/deliveries`, 'NOT_FOUND'],
    ['POST', `/api/v1/webhooks/wh_${unknown}/deliveries/whd_${unknown}/retry`, 'NOT_FOUND'],
    ['POST', `/api/v1/authorize/step-up/auth_${unknown}/confirm`, 'NOT_FOUND'],
    ['POST', `/api/v1/authorize/step-up/auth_${unknown}/deny`, 'NOT_FOUND'],
    [
      'POST',
      `/api/v1/authorize/step-up/auth_${unknown}/verify-otp`,
      'NOT_FOUND',
      { code: '123456' },
    ],
    ['GET', '/api/v1/nothing', 'NOT_FOUND'],
    ['GET', '/', 'NOT_FOUND'],
    ['GET', '/api/v2/agents', 'NOT_FOUND'],
  ];
  for (const [method, path, code, body] of rows) {
    isPlatform(t, await acting.call(method, path, { body }), [404, code]);
  }
});

t.test('what HTTP itself refuses', async (t) => {
  for (const [method, path, allow] of [
    ['PUT', '/api/v1/agents', 'GET, HEAD, POST'],
    ['GET', '/api/v1/authorize', 'POST'],
    ['POST', '/api/v1/thresholds', 'DELETE, GET, HEAD, PUT'],
    ['DELETE', '/api/v1/onboard', 'POST'],
    ['PATCH', '/api/v1/health', 'GET, HEAD'],
    ['GET', '/api/v1/oauth/token', 'POST'],
  ] as const) {
    const answer = await acting.call(method, path);
    isPlatform(t, answer, [405, 'ERROR']);
    t.equal(answer.headers.get('allow'), allow, `${method} ${path}`);
  }
  const send = (rawBody: string, contentType = 'application/json') =>
    acting.call('POST', '/api/v1/authorize', { rawBody, contentType });
  const good = JSON.stringify(paymentBody(agentId));
  for (const type of ['text/plain', 'application/xml', 'application/json; charset=latin1']) {
    isPlatform(t, await send(good, type), [415, 'ERROR']);
  }
  t.equal((await send(good, 'application/json; charset=utf-8')).status, 200);
  isPlatform(t, await send(JSON.stringify({ x: 'y'.repeat(256 * 1024) })), [413, 'ERROR']);
  const malformed = ['{', '{"a":1,}', '{"a":1,"a":2}', 'nonsense', '{"a":NaN}', "{'a':1}", '[1,]'];
  for (const body of malformed) isPlatform(t, await send(body), [400, 'BAD_REQUEST']);
  for (const body of ['[]', '"text"', '1', 'null', '{}']) {
    isPlatform(t, await send(body), [422, 'VALIDATION_ERROR']);
  }
  for (const text of ['"\\u0000"', '"\\ud800"']) {
    const body = good.replace('"Corner Shop"', text);
    const answer = await send(body);
    isPlatform(t, answer, [422, 'VALIDATION_ERROR']);
    t.equal(answer.body.error.details.errors[0].field, 'merchant_name');
  }
});

t.test('a method of no path, and of none that HTTP knows, is 405 or 404', async (t) => {
  const status = await new Promise((resolve, reject) => {
    const sent = request(`${stack.baseUrl}/api/v1/agents`, { method: 'PROPFIND' }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
  t.equal(status, 405);
});

t.test('all field errors are told at once, by their dotted names', async (t) => {
  const answer = await acting.post('/api/v1/authorize', {
    amount: 'x',
    mcc: '1',
    country: 'US',
    intent_context: { confidence: 2 },
    surprise: true,
  });
  isPlatform(t, answer, [422, 'VALIDATION_ERROR']);
  const named = answer.body.error.details.errors.map((each: Fields) => each.field).sort();
  t.same(named, [
    'agent_id',
    'amount',
    'country',
    'intent_context.confidence',
    'intent_context.task_reference',
    'mcc',
    'surprise',
  ]);
  const query = await acting.get('/api/v1/agents?page=0&page_size=x');
  isPlatform(t, query, [422, 'VALIDATION_ERROR']);
  t.equal(query.body.error.details.errors.length, 2);
});

interface Operation {
  method: string;
  path: string;
  parameters: string[];
  example: unknown;
}

/** Every operation with an id in its path, with a valid body. */
async function naming(): Promise<Operation[]> {
  const { paths } = expectStatus(await open.get('/api/v1/openapi.json'), 200);
  return Object.entries<Fields>(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
      const { requestBody } = operation as { requestBody?: { content: Record<string, Fields> } };
      const example = requestBody?.content['application/json']?.example;
      return parameters.length > 0 ? [{ method, path, parameters, example }] : [];
    }),
  );
}

const prefixes: Record<string, string> = {
  agent_id: 'agt',
  authorization_id: 'auth',
  case_id: 'frd',
  delivery_id: 'whd',
  mandate_id: 'mnd',
  principal_id: 'prn',
  program_id: 'prg',
  webhook_id: 'wh',
};

t.test(
  'a time that no calendar of four digits has is a field error, wherever it is given',
  async (t) => {
    const paid = await acting.post('/api/v1/authorize', paymentBody(agentId));
    const { authorization_id } = expectStatus(paid, 200);
    const outcome = {
      authorization_id,
      outcome_type: 'SETTLED',
      reported_at: '2026-01-02T03:04:05Z',
      reported_by: 'ISSUER',
    };
    const limits = { max_amount_per_transaction: 1, max_daily_amount: 1, currency: 'USD' };
    const valid_until = new Date(Date.now() + 86_400_000).toISOString();
    const mandate = { agent_id: agentId, valid_until, max_amount_per_transaction: '1.00' };
    const grant = { rails: ['card'], limits };
    const credential = { environment: 'sandbox', kind: 'api_key' };
    const { client, clientId } = tenant;
    type Row = [caller: Api, path: string, body: Fields, fields: string[]];
    const rows: Row[] = [
      [acting, '/api/v1/mandates', mandate, ['valid_from', 'valid_until']],
      [client, `/api/v1/agents/${agentId}/mandates`, grant, ['valid_from', 'valid_until']],
      [acting, '/api/v1/outcomes', outcome, ['reported_at', 'settled_at']],
      [operator(stack), `/internal/v1/clients/${clientId}/credentials`, credential, ['expires_at']],
    ];
    for (const [caller, path, body, fields] of rows) {
      for (const field of fields) {
        for (const time of [
          '0000-06-01T00:00:00Z',
          '0001-01-01T00:00:00+02:00',
          '9999-12-31T23:59:59-02:00',
        ]) {
          const answer = await caller.post(path, { ...body, [field]: time });
          isPlatform(t, answer, [422, 'VALIDATION_ERROR']);
          t.match(answer.body.error.details.errors, [{ field, type: 'out_of_range' }]);
        }
      }
    }
    const batch = { outcomes: [outcome, { ...outcome, settled_at: '0000-06-01T00:00:00Z' }] };
    const answer = await acting.post('/api/v1/outcomes/batch', batch);
    isPlatform(t, answer, [422, 'VALIDATION_ERROR']);
    t.match(answer.body.error.details.errors, [{ field: 'outcomes.1.settled_at' }]);
  },
);

t.test('an id that was never given out is not found, whatever its rest', async (t) => {
  const operations = await naming();
  t.ok(operations.length >= 28, `${operations.length} operations`);
  const callers = [acting, tenant.client];
  for (const { method, path, parameters, example } of operations) {
    const call = (caller: typeof acting, idOf: (name: string) => string) => {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => idOf(name));
      return caller.call(method.toUpperCase(), filled, { body: example });
    };
    const told = ({ status, body, text }: Answer) => {
      const id = body.error.request_id ?? body.request_id;
      return { status, text: text.replaceAll(id, '').replaceAll(/\b[a-z]+_[\w-]+/g, '') };
    };
    for (const caller of callers) {
      const wellFormed = await call(caller, (name) => `${prefixes[name]}_${unknown}`);
      t.ok([401, 403, 404].includes(wellFormed.status), `${method} ${path}: ${wellFormed.text}`);
      for (const rest of ['xyz', unknown.toUpperCase(), 'x'.repeat(64), '-', '__proto__']) {
        const answer = await call(caller, (name) => `${prefixes[name]}_${rest}`);
        t.same(told(answer), told(wellFormed), `${method} ${path} with ${rest}`);
      }
    }
    for (const wrong of ['xyz', `cli_${unknown}`, 'x'.repeat(65)]) {
      const answer = await call(acting, () => wrong);
      if (answer.status === 401) continue;
      isPlatform(t, answer, [422, 'VALIDATION_ERROR']);
      const named = answer.body.error.details.errors.map((each: Fields) => each.field);
      t.same(named.sort(), [...parameters].sort(), `${method} ${path} with ${wrong}`);
    }
  }
});

t.test('refusals that are not about the body', async (t) => {
  isPlatform(t, await open.get('/api/v1/agents'), [401, 'INVALID_API_KEY']);
  isPlatform(t, await api(stack.baseUrl, { 'x-api-key': 'svc_test_x' }).get('/api/v1/agents'), [
    401,
    'INVALID_API_KEY',
  ]);
  isPlatform(t, await api(stack.baseUrl, { authorization: 'Bearer x' }).get('/api/v1/agents'), [
    401,
    'ERROR',
  ]);
  const stranger = { headers: { 'x-principal-id': `prn_${unknown}` } };
  isPlatform(t, await tenant.client.get('/api/v1/agents', stranger), [403, 'ERROR']);
  isPlatform(t, await acting.get(`/api/v1/agents/${sibling.agentId}`), [403, 'TENANT_MISMATCH']);
  isPlatform(t, await acting.get(`/api/v1/mandates/${sibling.mandateId}`), [
    403,
    'TENANT_MISMATCH',
  ]);
  t.equal((await acting.get(`/api/v1/principals/${sibling.principalId}`)).status, 403);
  isPlatform(t, await acting.call('PUT', '/api/v1/thresholds', { body: {} }), [400, 'BAD_REQUEST']);
  isPlatform(
    t,
    await acting.post('/api/v1/webhooks', { url: 'http://127.0.0.1/', event_types: ['*'] }),
    [422, 'ERROR'],
  );
  isPlatform(t, await tenant.client.get('/api/v1/agents'), [401, 'ERROR']);
  const nobody = `/internal/v1/sandbox/principals/prn_${unknown}`;
  const missing = await operator(stack).call('PATCH', nobody, { body: { risk_tier: 'LOW' } });
  isPlatform(t, missing, [404, 'PRINCIPAL_NOT_FOUND']);
  const decided = await acting.post('/api/v1/authorize', paymentBody(agentId));
  const confirm = `/api/v1/authorize/step-up/${decided.body.authorization_id}/confirm`;
  isPlatform(t, await acting.post(confirm), [400, 'STEP_UP_REQUIRED']);
  const path = `/internal/v1/sandbox/principals/${principalId}`;
  const wrong = api(stack.internalUrl, { 'x-admin-key': 'wrong' });
  t.equal((await wrong.call('PATCH', path, { body: {} })).status, 403);
  const patch = (verification_status: string) =>
    operator(stack).call('PATCH', path, { body: { verification_status } });
  expectStatus(await patch('EXPIRED'), 200);
  const put = { body: { cts_green_threshold: 0.8 } };
  isPlatform(t, await acting.call('PUT', '/api/v1/thresholds', put), [403, 'KYC_REQUIRED']);
  expectStatus(await patch('VERIFIED'), 200);
});

t.test('the flat envelope is for business rules of onboarding only', async (t) => {
  const { client } = tenant;
  const programs = `/api/v1/principals/${principalId}/programs`;
  const rule = await client.post(programs, { program_id: `prg_${unknown}` });
  t.equal(rule.status, 422);
  t.same(Object.keys(rule.body).sort(), ['error', 'message', 'request_id', 'status']);
  t.equal(rule.body.error, 'program_not_owned');
  isPlatform(t, await client.post(programs, {}), [422, 'VALIDATION_ERROR']);
  isPlatform(t, await open.post(programs, {}), [401, 'INVALID_API_KEY']);
  isPlatform(t, await client.call('POST', programs, { rawBody: '{' }), [400, 'BAD_REQUEST']);
});

t.test('the token endpoint speaks RFC 6749', async (t) => {
  const form = (fields: Record<string, string>) =>
    open.call('POST', '/api/v1/oauth/token', {
      rawBody: new URLSearchParams(fields).toString(),
      contentType: 'application/x-www-form-urlencoded',
    });
  const grant = { grant_type: 'client_credentials' };
  const id = `svcoc_test_${'a'.repeat(26)}`;
  const rows: Array<[Record<string, string>, number, string]> = [
    [{ ...grant }, 400, 'invalid_request'],
    [{ ...grant, client_id: id }, 400, 'invalid_request'],
    [{ ...grant, client_secret: 'x' }, 400, 'invalid_request'],
    [{ client_id: id, client_secret: 'x' }, 400, 'unsupported_grant_type'],
    [{ grant_type: 'password', client_id: id, client_secret: 'x' }, 400, 'unsupported_grant_type'],
    [{ ...grant, client_id: id, client_secret: 'x' }, 401, 'invalid_client'],
    [{ ...grant, client_id: principalId, client_secret: tenant.apiKey }, 401, 'invalid_client'],
  ];
  for (const [fields, status, error] of rows) {
    const answer = await form(fields);
    t.equal(answer.status, status, JSON.stringify(fields));
    t.match(answer.body, { error, error_description: String });
    t.same(Object.keys(answer.body).sort(), ['error', 'error_description']);
    t.equal(answer.headers.get('cache-control'), 'no-store');
    const json = await open.post('/api/v1/oauth/token', fields);
    t.match(json, { status, body: { error } }, 'as JSON too');
  }
});

t.test('the id of a request is kept when it is valid, and made when it is not', async (t) => {
  const get = (id?: string) =>
    acting.get('/api/v1/agents', id === undefined ? {} : { headers: { 'x-request-id': id } });
  const kept = ['abc', 'x'.repeat(128), 'a-b_c:d/e=f', '!"#~'];
  for (const id of kept) t.equal((await get(id)).headers.get('x-request-id'), id);
  for (const id of ['x'.repeat(129), 'with space', 'caf\u00e9']) {
    const given = (await get(id)).headers.get('x-request-id');
    t.not(given, id);
    t.match(given, /^[\x21-\x7e]{1,128}$/);
  }
  const first = (await get()).headers.get('x-request-id');
  t.not(first, (await get()).headers.get('x-request-id'), 'each has its own');
  const failed = await open.get('/api/v1/agents', { headers: { 'x-request-id': 'mine' } });
  t.equal(failed.body.error.request_id, 'mine');
});

t.test('the documentation names every code that docs_url points to', async (t) => {
  const page = await open.get('/api/v1/docs');
  t.equal(page.status, 200);
  const codes = [
    'VALIDATION_ERROR',
    'INVALID_API_KEY',
    'API_KEY_EXPIRED',
    'API_KEY_REVOKED',
    'AGENT_NOT_FOUND',
    'PRINCIPAL_NOT_FOUND',
    'MANDATE_NOT_FOUND',
    'NOT_FOUND',
    'TENANT_MISMATCH',
    'KYC_REQUIRED',
    'STEP_UP_REQUIRED',
    'RATE_LIMITED',
    'INTERNAL_ERROR',
    'ERROR',
    'BAD_REQUEST',
    'UNAUTHORIZED',
    'FORBIDDEN',
    'CONFLICT',
    'SERVICE_UNAVAILABLE',
    'UNKNOWN_ERROR',
    'MANDATE_VIOLATION',
    'program_not_owned',
    'duplicate_client_customer_ref',
    'principal_not_in_program',
    'rail_not_enabled',
    'limit_above_program_ceiling',
    'principal_not_found',
    'idempotency_key_reuse',
    'sandbox_only',
    'invalid_request',
    'unsupported_grant_type',
    'invalid_client',
  ];
  for (const code of codes) t.match(page.text, `id="errors-${code}"`, code);
});
