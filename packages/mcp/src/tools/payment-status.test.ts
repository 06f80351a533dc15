import { test } from 'tap';
import { books } from '../test/books.js';
import { modelOf } from '../test/model.js';
import { serve } from '../test/service.js';

test('a declined payment is not approved by its record before it is voided', async (t) => {
  const id = 'auth_2';
  let isRecorded = false;
  const { context } = await serve(t, (path) => {
    const decided = { authorization_id: id, decision: 'DECLINE', reason_codes: [] };
    if (path === '/api/v1/authorize') return { body: decided };
    const amounts = { amount: '19.90', reversed_amount: '0.00', currency: 'USD' };
    const entry = { id, agent_id: 'agt_1', decision: 'APPROVE', reason_codes: [], ...amounts };
    const unknown = { error: { code: 'NOT_FOUND', message: 'No such authorization.' } };
    return isRecorded ? { body: { ...entry, step_up: null } } : { status: 404, body: unknown };
  });
  const model = await modelOf(t, context);
  const call = async (name: string, args: Record<string, unknown>) =>
    (await model.callTool({ name, arguments: args })).structuredContent;
  t.match(await call('request_payment', books), { decision: 'DECLINE', may_pay: false });
  isRecorded = true;
  const status = await call('payment_status', { authorization_id: id });
  t.has(status, { decision: 'DECLINE', may_pay: false, amount: '19.90', repeated: true });
});

test("an id of somebody else's payment is a wrong id, not a wrong setup", async (t) => {
  const message = 'The authorization belongs to another Principal.';
  const error = { code: 'TENANT_MISMATCH', message, request_id: 'req_1', details: {} };
  const { context } = await serve(t, () => ({ status: 403, body: { error } }));
  const model = await modelOf(t, context);
  for (const name of ['payment_status', 'reverse_payment']) {
    const result = await model.callTool({ name, arguments: { authorization_id: 'auth_2' } });
    t.match(result, { isError: true, content: [{ text: /no authorization with that id/ }] });
    t.notMatch(result, { content: [{ text: /COUNTERSIGN_/ }] });
  }
});
