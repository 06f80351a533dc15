import type { SignedInScenarios } from './console-scenario.js';
import { go, signIn, stumblingBlocks, textOf } from './console-visit.js';
import { newChallenge } from './console-world.js';
import { newSpender } from './tenant.js';

/** What waits for a human, and until when. */
export const stepUps: SignedInScenarios = {
  'what expired is not among what waits for a human': async (t, { stack, tenant, key }, page) => {
    const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '1000.00' });
    const waiting = await newChallenge(spender);
    const missed = await newChallenge(spender);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, { ...key, principalId: spender.principalId });
    const past = new Date(Date.now() - 60_000).toISOString();
    await page.route('**/api/v1/authorize/step-up/pending?*', async (route) => {
      const response = await route.fetch();
      const { data, pagination } = await response.json();
      const [newest, ...others] = data;
      const json = { data: [{ ...newest, expires_at: past }, ...others], pagination };
      await route.fulfill({ response, json });
    });
    await go(page, '#/step-ups');
    const pending = page.getByRole('region', { name: 'Pending step-ups' });
    const expired = page.getByRole('region', { name: 'Expired without an answer' });
    t.match(await textOf(pending), waiting);
    t.notMatch(await textOf(pending), missed);
    t.match(await textOf(expired), missed);
    t.notMatch(await textOf(expired), waiting);
    t.equal(await pending.getByRole('button', { name: 'Confirm' }).count(), 1);
    t.equal(await expired.getByRole('button').count(), 0, 'nothing can be answered any more');
    t.same(await stumblingBlocks(page), []);
  },

  'how long a challenge waits goes by the clock of the service': async (t, world, page) => {
    const spender = await newSpender(world.stack, world.tenant, {
      max_amount_per_transaction: '1000.00',
    });
    const id = await newChallenge(spender);
    const row = page.getByRole('row').filter({ hasText: id });
    await page.clock.install();
    for (const wrongByMs of [86_400_000, -86_400_000]) {
      await page.clock.setSystemTime(Date.now() + wrongByMs);
      await page.reload();
      await signIn(page, { ...world.key, principalId: spender.principalId });
      await go(page, '#/step-ups');
      t.match(await textOf(row), /\b[0-4] min \d\d s/);
      t.equal(await row.getByRole('button', { name: /^(Confirm|Deny)/ }).count(), 2);
    }
    await page.clock.fastForward('05:01');
    t.match(await textOf(row), /expired.*too late/s);
    t.equal(await row.getByRole('button').count(), 0);
  },
};
