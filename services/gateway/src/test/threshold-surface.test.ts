import { newId } from '@countersign/kernel/id';
import { t as file, test } from 'tap';
import { putThresholds } from '../schemas/threshold.js';
import * as samples from './samples.js';
import { Surface } from './surface.js';

const surface = await Surface.start();
file.teardown(() => surface.close());
const { services, tenant } = surface;

test('thresholds are read, changed and reset', async (t) => {
  const amounts = { step_up_amount_threshold: null, new_merchant_step_up_amount: null };
  const numbers = Object.keys(putThresholds.shape).map((name) => [name, 1]);
  const defaults = { ...Object.fromEntries(numbers), ...amounts };
  const overrides = { step_up_amount_threshold: '500.00' };
  const values = {
    resolvedJson: JSON.stringify({ ...defaults, ...overrides }),
    overridesJson: JSON.stringify(overrides),
    defaultsJson: JSON.stringify(defaults),
  };
  services.on('GetThresholds', () => values);
  services.on('PutThresholds', () => ({ fieldsChanged: ['x'], thresholds: values }));
  services.on('ResetThresholds', () => values);
  await surface.call(t, '/thresholds', { is: [200, 'getThresholds'] });
  const changes = { step_up_amount_threshold: 500, authorize_min_kya_score: null };
  await surface.call(t, '/thresholds', {
    method: 'PUT',
    body: changes,
    is: [200, 'putThresholds'],
  });
  t.same(JSON.parse(surface.asked('PutThresholds').changesJson), {
    step_up_amount_threshold: '500',
    authorize_min_kya_score: null,
  });
  const none = await surface.send('/thresholds', { method: 'PUT', body: {} });
  t.equal(none.status, 400);
  await surface.call(t, '/thresholds', { method: 'DELETE', is: [200, 'resetThresholds'] });
});

test('a preview of thresholds names each decision that would differ', async (t) => {
  const agentId = newId('agent');
  const previewed = {
    authorizationId: newId('authorization'),
    amount: '600',
    currency: 'USD',
    createdAt: samples.at,
    before: { decision: 'APPROVE', reasonCodes: [] },
    after: { decision: 'STEP_UP', reasonCodes: ['AMOUNT_STEP_UP'] },
  };
  services.on('GetAgent', () => samples.agentRecord({ id: agentId }));
  services.on('PreviewThresholds', () => ({
    fieldsChanged: ['step_up_amount_threshold'],
    notConsidered: [],
    considered: 3,
    oldestAt: samples.at,
    newestAt: samples.at,
    before: { approve: 2, decline: 1 },
    after: { approve: 1, stepUp: 1, decline: 1 },
    changed: [previewed],
  }));
  const path = `/thresholds/preview?agent_id=${agentId}&limit=500`;
  const body = { step_up_amount_threshold: 500 };
  const { json } = await surface.call(t, path, { body, is: [200, 'previewThresholds'] });
  t.has(json, {
    considered: 3,
    before: { APPROVE: 2, STEP_UP: 0, DECLINE: 1 },
    after: { APPROVE: 1, STEP_UP: 1, DECLINE: 1 },
    changed: [{ authorization_id: previewed.authorizationId, amount: '600.00' }],
  });
  t.match(surface.asked('PreviewThresholds'), { tenant, agentId, limit: 500 });
  t.match(surface.asked('GetAgent'), { tenant, id: agentId });
  const wrong: Array<[query: string, body: object, status: number]> = [
    [`agent_id=${agentId}`, {}, 400],
    ['', body, 422],
    [`agent_id=${agentId}&limit=501`, body, 422],
    [`agent_id=${agentId}&since=now`, body, 422],
    [`agent_id=${agentId}`, { nonsense: 1 }, 422],
  ];
  for (const [query, sent, status] of wrong) {
    const refused = await surface.send(`/thresholds/preview?${query}`, { body: sent });
    t.equal(refused.status, status, query);
  }
});

test('every operation of this chapter was called', async (t) => {
  t.same(surface.uncalled('Thresholds'), []);
});
