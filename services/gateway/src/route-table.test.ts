import { test } from 'tap';
import { Refusal } from './errors/refusal.js';
import type { Pipeline, RequestContext } from './middleware/state.js';
import { RouteTable } from './route-table.js';
import { routes } from './routes.js';

const named = new Map<Pipeline, string>();
const table = new RouteTable(
  routes.map(({ method, path, operation }) => {
    const pipeline = async (): Promise<void> => {};
    named.set(pipeline, operation);
    return { method, path, pipeline };
  }),
);

/** The operation that a request reaches with its parameters, or the refusal with its `Allow`. */
function found(method: string, path: string, query = '') {
  const req = { method, url: path + query };
  try {
    const { pipeline, params } = table.find({ req, method, path } as unknown as RequestContext);
    return [named.get(pipeline), ...Object.values(params)];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.status, error.headers.Allow ?? null];
  }
}

test('every route is found at its own path, whatever its parameters are', (t) => {
  for (const { method, path, operation } of routes) {
    const [operationFound] = found(method, path.replace(/:\w+/g, 'x'));
    t.equal(operationFound, operation, `${method} ${path}`);
  }
  t.end();
});

test('a path that is written out has its own methods, and none of a parameter beside it', (t) => {
  for (const [method, path, expected] of [
    ['GET', '/outcomes/batch', [405, 'POST']],
    ['POST', '/outcomes/batch', ['reportOutcomes']],
    ['GET', '/outcomes/auth_1', ['listOutcomes', 'auth_1']],
    ['PUT', '/outcomes/auth_1', [405, 'GET, HEAD']],
    ['PUT', '/webhooks/events', [405, 'GET, HEAD']],
    ['DELETE', '/webhooks/events', [405, 'GET, HEAD']],
    ['GET', '/webhooks/events', ['listWebhookEvents']],
    ['PUT', '/webhooks/wh_1', [405, 'DELETE, GET, HEAD, PATCH']],
    ['GET', '/authorize/log', ['listAuthorizations']],
    ['GET', '/authorize/log/auth_1', ['getAuthorization', 'auth_1']],
    ['GET', '/authorize/log/agent', ['getAuthorization', 'agent']],
    ['GET', '/authorize/log/agent/agt_1', ['listAgentAuthorizations', 'agt_1']],
    ['GET', '/authorize/log/auth_1/explain', ['explainAuthorization', 'auth_1']],
    ['DELETE', '/mandates/agent/agt_1', [405, 'GET, HEAD']],
    ['DELETE', '/mandates/agent', ['revokeMandate', 'agent']],
    ['HEAD', '/webhooks/events', ['listWebhookEvents']],
    ['HEAD', '/outcomes/auth_1', ['listOutcomes', 'auth_1']],
    ['HEAD', '/outcomes/batch', [405, 'POST']],
    ['HEAD', '/nothing', [404, null]],
    ['GET', '/nothing', [404, null]],
  ] as const) {
    t.same(found(method, `/api/v1${path}`), expected, `${method} ${path}`);
    t.same(found(method, `/api/v1${path}`, '?limit=1'), expected, `${method} ${path}?limit=1`);
  }
  t.end();
});
