import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { type Test, test } from 'tap';
import type { Context } from '../context.js';
import { createServer } from '../server.js';
import { books } from '../test/books.js';
import { serve } from '../test/service.js';

/** A model that is connected to the tools, until the test ends. */
async function modelOf(t: Test, context: Context): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await createServer(context).connect(theirs);
  const model = new Client({ name: 'test', version: '1' });
  await model.connect(ours);
  t.teardown(() => model.close());
  return model;
}

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
  t.match(status, { decision: 'DECLINE', may_pay: false, amount: '19.90', repeated: true });
});
