import { t as file, test } from 'tap';
import * as samples from './samples.js';
import { Surface } from './surface.js';

const surface = await Surface.start();
file.teardown(() => surface.close());
const { services, tenant } = surface;

/** One of two Programs of the Principal has it. */
function inTriage(fraudTriageEnabled: boolean): void {
  services.on('GetPrincipal', () => samples.principalRecord({ programIds: ['prg_1', 'prg_2'] }));
  services.on('GetProgram', ({ id }) => ({
    id,
    fraudTriageEnabled: fraudTriageEnabled && id === 'prg_2',
  }));
}

test('cases and patterns exist for a Principal in a Program with fraud triage', async (t) => {
  const { id } = samples.fraudCaseRecord();
  const path = `/cases/${id}`;
  const body = { resolution: 'FALSE_POSITIVE' };
  inTriage(false);
  const asked = services.received.length;
  for (const [method, each, sent] of [
    ['GET', '/cases'],
    ['GET', path],
    ['POST', `${path}/resolve`, body],
    ['GET', '/fraud-patterns'],
  ] as const) {
    const answer = await surface.send(each, { method, body: sent });
    t.equal(answer.status, 404);
    const message = 'Cases and patterns are only available with fraud triage enabled.';
    t.match(answer.json.error, { code: 'NOT_FOUND', message });
  }
  const since = services.received.slice(asked).map(({ method }) => method);
  t.notOk(
    since.some((method) => /Case|Pattern/.test(method)),
    'decision is not even asked',
  );
});

test('cases are listed, read and resolved', async (t) => {
  const fraudCase = samples.fraudCaseRecord();
  const path = `/cases/${fraudCase.id}`;
  services.on('ListCases', () => ({ cases: [fraudCase], hasMore: true }));
  services.on('GetCase', () => fraudCase);
  const resolvedAt = '2026-11-22T09:30:00.000Z';
  const resolved = { resolution: 'FALSE_POSITIVE', resolvedBy: 'prn_1', resolvedAt };
  services.on('ResolveCase', () => ({ ...fraudCase, status: 'RESOLVED', ...resolved }));
  const body = { resolution: 'FALSE_POSITIVE' };
  inTriage(true);
  const list = await surface.call(t, '/cases?limit=1', { is: [200, 'listCases'] });
  t.match(list.json.data, [{ id: fraudCase.id, amount: 666.01, resolution: null }]);
  t.match(surface.asked('ListCases'), { tenant, page: { limit: 1 } });
  const cursor = list.json.pagination.next_cursor;
  await surface.call(t, `/cases?cursor=${cursor}`, { is: [200, 'listCases'] });
  const { id, createdAt } = fraudCase;
  t.match(surface.asked('ListCases').page, { limit: 25, after: { id, createdAt } });
  const one = await surface.call(t, path, { is: [200, 'getCase'] });
  t.has(one.json, { id, amount: '666.01', status: 'OPEN', resolved_by: null, resolved_at: null });
  t.match(surface.asked('GetCase'), { tenant, id });
  const done = await surface.call(t, `${path}/resolve`, { body, is: [200, 'resolveCase'] });
  t.match(done.json, { ...body, status: 'RESOLVED', resolved_by: 'prn_1' });
  t.equal(done.json.resolved_at, resolvedAt);
  t.match(surface.asked('ResolveCase'), { tenant, id, ...body });
  for (const wrong of [{}, { resolution: 'MAYBE' }, { ...body, notes: 'x' }]) {
    const refused = await surface.send(`${path}/resolve`, { body: wrong });
    t.equal(refused.status, 422);
  }
});

test('suspected takeovers are listed page by page', async (t) => {
  const pattern = samples.fraudPatternRecord();
  services.on('ListFraudPatterns', () => ({ patterns: [pattern], hasMore: true }));
  inTriage(true);
  const path = '/fraud-patterns';
  const list = await surface.call(t, `${path}?limit=1`, { is: [200, 'listFraudPatterns'] });
  const { id, agentId, authorizationIds, createdAt } = pattern;
  t.strictSame(list.json.data, [
    {
      id,
      agent_id: agentId,
      confidence: 0.766,
      indicators: ['AGENT_KEY_FAILURES', 'STEP_UPS_DENIED'],
      authorization_ids: authorizationIds,
      recommended_action: 'REVIEW_AGENT',
      created_at: createdAt,
    },
  ]);
  t.match(surface.asked('ListFraudPatterns'), { tenant, page: { limit: 1 } });
  const cursor = list.json.pagination.next_cursor;
  await surface.call(t, `${path}?cursor=${cursor}`, { is: [200, 'listFraudPatterns'] });
  t.match(surface.asked('ListFraudPatterns').page, { limit: 25, after: { id, createdAt } });
  const misplaced = await surface.send(`/cases?cursor=${cursor}`);
  t.equal(misplaced.status, 422, 'a cursor of one list is none of another');
});

test('every operation of this chapter was called', async (t) => {
  t.same(surface.uncalled('Cases'), []);
});
