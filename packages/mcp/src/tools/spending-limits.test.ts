import { test } from 'tap';
import { modelOf } from '../test/model.js';
import { serve } from '../test/service.js';

const day = { amount_limit: null, amount_remaining: null, count_remaining: null };
const terms = {
  currency: 'USD',
  max_amount_per_transaction: '50.00',
  crypto: null,
  valid_from: '2026-01-01T00:00:00.000Z',
  valid_until: '2099-01-01T00:00:00.000Z',
};

async function limitsOf(t: Parameters<typeof serve>[0], mandate: object) {
  const granted = { id: 'mnd_1', ...terms, ...mandate };
  const { context } = await serve(t, (path) => {
    if (path.endsWith('/budget')) return { body: { day, month: day } };
    if (path.startsWith('/api/v1/mandates/agent')) {
      return { body: { mandates: [granted], total: 1 } };
    }
    const isMandate = path.startsWith('/api/v1/mandates');
    return { body: isMandate ? granted : { id: 'agt_1', status: 'ACTIVE' } };
  });
  const model = await modelOf(t, context);
  const result = await model.callTool({ name: 'spending_limits', arguments: {} });
  const [{ text = '' } = {}] = result.content as Array<{ text?: string }>;
  return { text, data: result.structuredContent };
}

test('a mandate that is not valid yet permits nothing yet', async (t) => {
  const { text } = await limitsOf(t, { valid_from: '2098-01-01T00:00:00.000Z' });
  t.match(text, /^Nothing before 2098-01-01T00:00:00\.000Z; from then on at most 50\.00 USD/);
  t.match((await limitsOf(t, {})).text, /^At most 50\.00 USD per payment;/);
});

test('the limit of one on-chain transfer is among the limits', async (t) => {
  const crypto = { chains: ['base'], assets: ['USDC'], max_transfer: '5' };
  const { text, data } = await limitsOf(t, { crypto });
  t.match(text, 'At most 5 of the asset per on-chain transfer.');
  t.has(data, { mandates: [{ per_transfer: '5' }] });
  t.match((await limitsOf(t, {})).data, { mandates: [{ per_transfer: null }] });
});
