import { isId } from '@countersign/kernel/id';
import { type Test, test } from 'tap';
import type { Scope } from './authentication/scopes.js';
import { errorCatalog, errorTables } from './errors/error-catalog.js';
import { docsPage } from './openapi/docs-page.js';
import { openApiDocument } from './openapi/document.js';
import type { AnyRoute } from './route.js';
import { routes } from './routes.js';
import { exampleId } from './schemas/id.js';

/** Every endpoint that the interface and its decisions name, with its plane. */
const interfaceTable = `
onboarding POST /api/v1/onboard
onboarding POST /api/v1/principals
runtime GET /api/v1/principals/:principal_id
onboarding POST /api/v1/principals/:principal_id/programs
onboarding POST /api/v1/principals/:principal_id/agents
onboarding GET /api/v1/principals/:principal_id/agents
onboarding POST /api/v1/agents/:agent_id/mandates
onboarding POST /api/v1/principals/:principal_id/sandbox-key
onboarding POST /api/v1/principals/:principal_id/verification/simulate
onboarding GET /api/v1/programs
onboarding GET /api/v1/programs/:program_id
authorize POST /api/v1/authorize
authorize POST /api/v1/authorize/simulate
runtime POST /api/v1/authorize/reverse
runtime GET /api/v1/authorize/log
runtime GET /api/v1/authorize/log/agent/:agent_id
runtime GET /api/v1/authorize/log/:authorization_id
runtime GET /api/v1/authorize/log/:authorization_id/explain
runtime GET /api/v1/authorize/step-up/pending
runtime POST /api/v1/authorize/step-up/:authorization_id/confirm
runtime POST /api/v1/authorize/step-up/:authorization_id/deny
runtime POST /api/v1/authorize/step-up/:authorization_id/verify-otp
runtime POST /api/v1/agents
runtime GET /api/v1/agents
runtime GET /api/v1/agents/:agent_id
runtime GET /api/v1/agents/:agent_id/metrics
runtime PATCH /api/v1/agents/:agent_id/status
runtime POST /api/v1/mandates
runtime GET /api/v1/mandates/agent/:agent_id
runtime GET /api/v1/mandates/:mandate_id
runtime DELETE /api/v1/mandates/:mandate_id
runtime GET /api/v1/mandates/:mandate_id/budget
runtime POST /api/v1/outcomes
runtime POST /api/v1/outcomes/batch
runtime GET /api/v1/outcomes/:authorization_id
runtime POST /api/v1/crypto/settlements
runtime GET /api/v1/crypto/settlements/:authorization_id
runtime GET /api/v1/cases
runtime GET /api/v1/cases/:case_id
runtime POST /api/v1/cases/:case_id/resolve
runtime GET /api/v1/fraud-patterns
runtime POST /api/v1/webhooks
runtime GET /api/v1/webhooks
public GET /api/v1/webhooks/events
runtime GET /api/v1/webhooks/:webhook_id
runtime PATCH /api/v1/webhooks/:webhook_id
runtime DELETE /api/v1/webhooks/:webhook_id
runtime POST /api/v1/webhooks/:webhook_id/test
runtime POST /api/v1/webhooks/:webhook_id/rotate-secret
runtime GET /api/v1/webhooks/:webhook_id/deliveries
runtime POST /api/v1/webhooks/:webhook_id/deliveries/:delivery_id/retry
runtime GET /api/v1/thresholds
runtime PUT /api/v1/thresholds
runtime POST /api/v1/thresholds/preview
runtime DELETE /api/v1/thresholds
token POST /api/v1/oauth/token
public GET /api/v1/health
public GET /api/v1/health/live
public GET /api/v1/health/ready
public GET /api/v1/.well-known/jwks.json
public GET /.well-known/jwks.json
public GET /api/v1/public-keys
public GET /api/v1/reason-codes
public GET /api/v1/openapi.json
public GET /api/v1/docs`;

test('the table has every endpoint of the interface and no other', async (t) => {
  const wanted = interfaceTable.trim().split('\n').sort();
  t.same(routes.map((row) => `${row.plane} ${row.method} ${row.path}`).sort(), wanted);
  t.equal(new Set(routes.map(({ operation }) => operation)).size, routes.length);
});

const scopes: Record<string, Scope> = {
  authorize: 'authorize',
  agents: 'agents',
  mandates: 'mandates',
  webhooks: 'webhooks',
  thresholds: 'thresholds',
  principals: 'principals',
  onboard: 'principals',
  programs: 'principals',
  outcomes: 'outcomes',
  crypto: 'outcomes',
  cases: 'cases',
  'fraud-patterns': 'cases',
};

test('scope, rate and envelope of a row follow from its path, method and plane', async (t) => {
  for (const row of routes) {
    const open = row.plane === 'public' || row.plane === 'token';
    const prefix = row.path.split('/')[3] ?? '';
    t.equal(row.scope, open ? null : scopes[prefix], `scope of ${row.operation}`);
    t.equal(row.rateGroup, rateGroup(row), `rate group of ${row.operation}`);
    const flat =
      row.plane === 'onboarding' && /^\/api\/v1\/(onboard|principals|agents)/.test(row.path);
    t.equal(row.flatErrors === true, flat, `envelope of ${row.operation}`);
  }
  const keyed = routes.filter(({ idempotent }) => idempotent).map(({ operation }) => operation);
  t.same(keyed, ['onboard', 'registerPrincipal', 'addAgent', 'grantMandate']);
  const early = routes.filter((row) => row.allowedWhileUnverified).map((row) => row.operation);
  t.same(early, [
    'authorize',
    'simulateAuthorization',
    'reportOutcome',
    'reportOutcomes',
    'reportSettlement',
    'previewThresholds',
  ]);
});

function rateGroup({ plane, method }: AnyRoute): string {
  if (plane === 'public') return 'none';
  if (plane === 'token' || plane === 'authorize') return plane;
  return method === 'GET' ? 'read' : 'write';
}

test('path parameters have schemas, and every row says what it answers', async (t) => {
  for (const row of routes) {
    const names = [...row.path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name);
    const params = Object.fromEntries(names.map((name) => [name, 'rubbish/../']));
    if (names.length > 0) t.notOk(row.params?.safeParse(params).success, row.operation);
    t.ok(Object.keys(row.responses).length > 0, row.operation);
    t.ok(row.summary.length > 0 && !row.summary.endsWith('.'), row.operation);
  }
});

const document = openApiDocument(routes, 'https://api.test');
const json = JSON.parse(JSON.stringify(document));

test('the document describes every row: parameters, bodies, answers and errors', async (t) => {
  t.equal(json.openapi, '3.1.0');
  t.same(json.servers, [{ url: 'https://api.test' }]);
  for (const row of routes) {
    const path = row.path.replaceAll(/:([a-z_]+)/g, '{$1}');
    const operation = json.paths[path][row.method.toLowerCase()];
    t.equal(operation.operationId, row.operation);
    const inPath = (operation.parameters ?? []).filter((p: { in: string }) => p.in === 'path');
    t.equal(inPath.length, (row.path.match(/:/g) ?? []).length, row.operation);
    t.equal(Boolean(operation.requestBody), Boolean(row.body ?? row.documented?.body));
    for (const status of Object.keys(row.responses)) t.ok(operation.responses[status]);
    const errors = Object.keys(operation.responses).filter((status) => status >= '400');
    if (row.plane === 'authorize') t.notOk(errors.some((status) => status >= '500'));
    if (row.plane === 'runtime')
      t.ok(['401', '403', '422', '429'].every((s) => errors.includes(s)));
    t.equal(operation.security?.length, row.plane === 'public' ? 0 : expected(row));
  }
});

function expected({ plane }: AnyRoute): number {
  return plane === 'onboarding' ? 1 : 2;
}

function checkExample(t: Test, row: AnyRoute, operation: Record<string, never>): void {
  for (const [status, schema] of Object.entries(row.responses)) {
    const content = json.paths[pathOf(row)][row.method.toLowerCase()].responses[status].content;
    if (!schema) continue;
    const result = schema.safeParse(content['application/json'].example);
    t.ok(result.success, `${row.operation} ${status}: ${result.error}`);
  }
  const { requestBody } = operation as { requestBody?: { content: Record<string, never> } };
  if (!row.body || !requestBody) return;
  const { example } = (requestBody.content['application/json'] ?? {}) as { example?: unknown };
  const result = row.body.safeParse(example);
  t.ok(result.success, `${row.operation} request: ${result.error}`);
}

function pathOf(row: AnyRoute): string {
  return row.path.replaceAll(/:([a-z_]+)/g, '{$1}');
}

test('every example is what its own schema accepts', async (t) => {
  t.ok(isId('agent', exampleId('agent')));
  for (const row of routes) {
    checkExample(t, row, json.paths[pathOf(row)][row.method.toLowerCase()]);
  }
});

test('the page needs no script and no other request, and answers every docs_url', async (t) => {
  const { html, contentSecurityPolicy } = docsPage(document, errorTables);
  t.notMatch(html, /<script|<link|<img|src=|@import|url\(/);
  t.match(contentSecurityPolicy, /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'/);
  const anchors = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  for (const { code } of Object.values(errorCatalog).flat())
    t.ok(anchors.has(`errors-${code}`), code);
  for (const [, target] of html.matchAll(/href="#([^"]*)"/g))
    t.ok(anchors.has(target), `#${target}`);
  for (const row of routes) t.ok(anchors.has(row.operation), row.operation);
  t.notMatch(html, /undefined|\[object Object\]/);
  t.notMatch(html, /<pre>/, 'a long example scrolls by keyboard too');
  t.notMatch(html, /`/, 'no Markdown is left');
});
