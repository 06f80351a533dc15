import { fileURLToPath } from 'node:url';
import type { Scenarios } from './console-scenario.js';
import { go, signIn } from './console-visit.js';
import { type ConsoleWorld, pay } from './console-world.js';
import { expectStatus, newSpender } from './tenant.js';

const file = fileURLToPath(new URL('../../docs/console-decision.png', import.meta.url));
const size = { width: 1280, height: 800 };
const maxBytes = 300_000;

/** Runs only on request, because it writes into the documentation. */
export const pictures: Scenarios = {
  'the picture in docs/console.md shows the console as it is': async (t, world, { page }) => {
    const { apiKey } = world.tenant;
    const { principalId, declined } = await colourfulPast(world);
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: 'light' });
    await signIn(page, { apiKey, principalId });
    await go(page, `#/decisions/${declined}`);
    await page.getByText('Valid.', { exact: true }).waitFor();
    const { length } = await page.screenshot({ path: file });
    t.ok(length < maxBytes, `${length} bytes`);
  },
};

/** An agent that bought books, and a decision against it for several reasons. */
async function colourfulPast({ stack, tenant }: ConsoleWorld) {
  const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '5000.00' });
  const granted = await spender.acting.post('/api/v1/mandates', {
    agent_id: spender.agentId,
    valid_until: new Date(Date.now() + 30 * 86_400_000).toISOString(),
    max_amount_per_transaction: '1000.00',
    max_daily_amount: '2000.00',
    max_monthly_amount: '20000.00',
    allowed_countries: ['USA', 'DEU'],
    blocked_mccs: ['7995'],
  });
  expectStatus(granted, 201);
  const books = { merchant_name: 'Example Books', merchant_id: 'm-1000', mcc: '5942' };
  for (const amount of ['18.50', '42.00', '27.25']) {
    await pay(spender, { ...books, country: 'USA', amount });
  }
  const casino = { merchant_name: 'Lucky Casino', merchant_id: 'm-1001', mcc: '7995' };
  const asked = { ...casino, country: 'FRA', amount: '1200.00', client_reference: 'order-2425' };
  const { authorization_id: declined } = await pay(spender, asked);
  return { principalId: spender.principalId, declined };
}
