import { test } from 'tap';
import { modelOf } from './test/model.js';
import { serve } from './test/service.js';

test('a model that may not reverse payments has no tool for it', async (t) => {
  const { context } = await serve(t, () => ({ body: {} }));
  const toolsOf = async (reversals: boolean) => {
    const { tools } = await (await modelOf(t, { ...context, reversals })).listTools();
    return tools.map(({ name }) => name);
  };
  const others = ['request_payment', 'spending_limits', 'payment_status'];
  t.same(await toolsOf(true), [...others, 'reverse_payment']);
  t.same(await toolsOf(false), others);
});
