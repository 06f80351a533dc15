/** What the operator's table says of itself: the document, its examples, its page. */
import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { docsPage } from '../openapi/docs-page.js';
import { operatorDocument } from './openapi/document.js';
import { errorTables } from './openapi/errors.js';
import { tags } from './openapi/guide.js';
import type { OperatorRoute } from './route.js';
import { operatorRoutes } from './table.js';

/** The names stay: they are in the audit, and the commands of the CLI. */
const interfaceTable = `
client.create POST /clients
client.list GET /clients
client.update PATCH /clients/:id
program.create POST /clients/:id/programs
program.update PATCH /:environment/programs/:id
credential.issue POST /clients/:id/credentials
credential.list GET /clients/:id/credentials
credential.rotate POST /credentials/:id/rotate
credential.revoke POST /credentials/:id/revoke
credential.update PATCH /credentials/:id
principal.find GET /:environment/principals/:id
principal.update PATCH /:environment/principals/:id
profile.put PUT /:environment/principals/:id/profile
personal_data.read GET /:environment/principals/:id/personal-data
personal_data.erase DELETE /:environment/principals/:id/personal-data
agent.find GET /:environment/agents/:id
authorization.find GET /:environment/authorizations/:id
vi_chain.read GET /:environment/authorizations/:id/vi-chain
fraud_pattern.list GET /:environment/fraud-patterns
failing_webhook.list GET /:environment/failing-webhooks
vi_subject.list GET /:environment/principals/:id/vi-subjects
vi_subject.put PUT /:environment/principals/:id/vi-subjects
vi_subject.delete DELETE /:environment/principals/:id/vi-subjects
verification.result POST /:environment/verification-callbacks
signing_key.rotate POST /signing-keys/rotate
audit.list GET /audit-events
openapi.read GET /openapi.json
docs.read GET /docs`;

const document = operatorDocument(operatorRoutes, 'https://api.test');
const json = JSON.parse(JSON.stringify(document));

function operationOf({ method, path }: OperatorRoute) {
  return json.paths[path.replaceAll(/:([a-z_]+)/g, '{$1}')][method.toLowerCase()];
}

test('the table has every call of the interface and no other', async (t) => {
  const rows = operatorRoutes.map(({ action, method, path }) => {
    t.ok(path.startsWith('/internal/v1/'), path);
    return `${action} ${method} ${path.replace('/internal/v1', '')}`;
  });
  t.same(rows.sort(), interfaceTable.trim().split('\n').sort());
});

test('docs/operator.md has every call and no other', (t) => {
  const guide = readFileSync(new URL('../../../../docs/operator.md', import.meta.url), 'utf8');
  const described = [...guide.matchAll(/^\| `([A-Z]+ \/[^`?]+)[^`]*` \|/gm)].map(([, row]) => row);
  const rows = operatorRoutes.map(({ method, path }) => {
    const documented = path.replace('/internal/v1', '').replaceAll(/:([a-z_]+)/g, '{$1}');
    return `${method} ${documented}`;
  });
  t.same(described.sort(), rows.sort());
  t.end();
});

test('the document describes every row and nothing else', async (t) => {
  t.match(json, { openapi: '3.1.0', servers: [{ url: '/' }] });
  const described = Object.values<object>(json.paths).flatMap((item) => Object.values(item));
  const actions = operatorRoutes.map(({ action }) => action).sort();
  t.same(described.map(({ operationId }) => operationId).sort(), actions);
  for (const row of operatorRoutes) {
    const operation = operationOf(row);
    t.equal(operation.operationId, row.action);
    t.ok(operation.summary && !operation.summary.endsWith('.') && operation.description);
    const inPath = (operation.parameters ?? []).filter((p: { in: string }) => p.in === 'path');
    t.equal(inPath.length, (row.path.match(/:/g) ?? []).length, row.action);
    t.equal(Boolean(operation.requestBody), Boolean(row.body), row.action);
    const scheme = row.action === 'verification.result' ? 'providerSignature' : 'adminKey';
    t.same(operation.security, [{ [scheme]: [] }]);
    const always = ['403', '422', '500', '503', ...Object.keys(row.responses)];
    for (const status of always) t.ok(operation.responses[status], `${row.action} ${status}`);
    for (const { name } of inPath) t.notOk(row.params?.safeParse({ [name]: 'a/../' }).success);
  }
  const used = new Set(operatorRoutes.map(({ tag }) => tag));
  t.same([...used].sort(), tags.map(({ name }) => name).sort());
});

test('every example is what its own schema accepts', async (t) => {
  for (const row of operatorRoutes) {
    const { requestBody, responses } = operationOf(row);
    for (const [status, schema] of Object.entries(row.responses)) {
      if (!schema) continue;
      const { example } = responses[status].content['application/json'];
      const result = schema.safeParse(example);
      t.ok(result.success, `${row.action} ${status}: ${result.error}`);
    }
    if (!row.body) continue;
    const result = row.body.safeParse(requestBody.content['application/json'].example);
    t.ok(result.success, `${row.action}: ${result.error}`);
  }
});

test('each error says which codes it comes with', async (t) => {
  for (const [name, { description, content }] of Object.entries<Shared>(
    json.components.responses,
  )) {
    const { code } = content['application/json'].example.error;
    t.ok(description.includes(`\`${code}\`: `), name);
  }
});

interface Shared {
  description: string;
  content: { 'application/json': { example: { error: { code: string } } } };
}

test('the page has every call, and needs no script and no other request', async (t) => {
  const { html } = docsPage(document, errorTables);
  t.notMatch(html, /<script|<link|<img|src=|@import|url\(|undefined|\[object Object\]/);
  t.notMatch(html, /`/, 'no Markdown is left');
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  t.equal(new Set(ids).size, ids.length, 'no id twice');
  for (const { action } of operatorRoutes) t.ok(ids.includes(action), action);
  for (const [, target] of html.matchAll(/href="#([^"]*)"/g)) {
    t.ok(ids.includes(target), `#${target}`);
  }
});
