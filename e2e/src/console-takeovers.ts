import { until } from '@countersign/runtime/testing';
import type { SignedInScenarios } from './console-scenario.js';
import { go, signIn, stumblingBlocks, textOf } from './console-visit.js';
import { pay } from './console-world.js';
import { expectStatus, newSpender } from './tenant.js';

/** What is suspected of agents, beside the cases of single payments. */
export const takeovers: SignedInScenarios = {
  'an agent that looks taken over is shown with its payments': async (t, world, page) => {
    const spender = await newSpender(world.stack, world.tenant, {
      max_amount_per_transaction: '1000.00',
    });
    const ids: string[] = [];
    for (const amount of ['666.01', '666.03', '666.01']) {
      ids.push((await pay(spender, { amount })).authorization_id);
    }
    const suspected = async () => expectStatus(await spender.acting.get(list), 200).data.length;
    await until(async () => (await suspected()) > 0, { what: 'the pattern', timeoutMs: 30_000 });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, { ...world.key, principalId: spender.principalId });
    await page.getByRole('link', { name: 'Takeovers' }).click();
    const row = page.getByRole('row').filter({ hasText: spender.agentId });
    await row.waitFor();
    t.match(await textOf(row), /REVIEW AGENT.*0\.748.*FRAUD_SUSPICIONS\s+INTENT_ANOMALIES/s);
    for (const id of ids) t.equal(await row.getByRole('link', { name: id }).count(), 1);
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      t.same(await stumblingBlocks(page), [], `${width} wide`);
    }
    await row.getByRole('link', { name: spender.agentId }).click();
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
  },

  'where no takeover is suspected, it says so': async (t, _world, page) => {
    await go(page, '#/takeovers');
    t.ok(await page.getByText('No takeover is suspected.').isVisible());
  },
};

const list = '/api/v1/fraud-patterns';
