import { newId } from '@countersign/kernel/id';
import type { SignedInScenarios } from './console-scenario.js';
import { go, signIn, stumblingBlocks, textOf } from './console-visit.js';
import { pay } from './console-world.js';
import { newSpender } from './tenant.js';

/** The decisions of all agents of a Principal. */
export const log: SignedInScenarios = {
  'decisions of all agents are found by what was decided, by day and by reference': async (
    t,
    world,
    page,
  ) => {
    const spender = await newSpender(world.stack, world.tenant);
    const reference = 'order 1001 & more';
    const { authorization_id: approved } = await pay(spender, { client_reference: reference });
    const nobody = { ...spender, agentId: newId('agent') };
    const { authorization_id: declined } = await pay(nobody);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, { ...world.key, principalId: spender.principalId });
    await page.getByRole('link', { name: 'Decisions', exact: true }).click();
    const row = (id: string) => page.getByRole('row').filter({ hasText: id });
    await row(approved).getByRole('link', { name: spender.agentId }).waitFor();
    t.match(await textOf(row(declined)), 'AGENT_NOT_FOUND', 'in the log of no agent');
    await page.getByRole('link', { name: 'decline', exact: true }).click();
    await row(approved).waitFor({ state: 'detached' });
    await row(declined).waitFor();
    t.equal(await row(approved).count(), 0);
    await go(page, '#/decisions');
    await page.getByLabel('From').fill('2024-02-28');
    await page.getByLabel('To', { exact: true }).fill('2024-02-29');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('There are no such decisions.').waitFor();
    const days = 'from=2024-02-27T23%3A00%3A00.000Z&until=2024-02-29T23%3A00%3A00.000Z';
    t.match(page.url(), days, 'whole days of the zone of the reader');
    t.equal(await page.getByLabel('From').inputValue(), '2024-02-28');
    t.equal(await page.getByLabel('To', { exact: true }).inputValue(), '2024-02-29');
    t.same(await stumblingBlocks(page), []);
    await go(page, `#/decisions/${approved}`);
    await page.getByRole('link', { name: reference }).click();
    await page.getByRole('heading', { name: 'Decisions' }).waitFor();
    await row(approved).waitFor();
    t.equal(await page.getByRole('row').count(), 2, 'its row, and the heads');
    t.equal(await page.getByLabel('Client reference').inputValue(), reference);
  },
};
