import type { SignedInScenarios } from './console-scenario.js';
import { go, mainText, signIn, stumblingBlocks, tamper, textOf } from './console-visit.js';
import { newChallenge, pay } from './console-world.js';
import { expectStatus, newSpender } from './tenant.js';

/** Guarantees that hold for every screen. */
export const screens: SignedInScenarios = {
  'what is not there is said in the words of the API': async (t, _world, page) => {
    await go(page, '#/decisions/auth_01k5a3v7q8e9f0g1h2j3k4m5n6');
    t.match(await textOf(page.getByRole('alert')), /404 NOT_FOUND\s+request req_/);
    t.ok(await page.getByRole('heading', { name: 'Decision' }).isVisible());
    t.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, 'it will not be');
    t.same(await stumblingBlocks(page), []);
  },

  'what failed for a moment is read again in place': async (t, { spender }, page) => {
    await page.route('**/api/v1/agents?*', (route) => route.abort(), { times: 1 });
    await go(page, '#/agents?status=ACTIVE');
    t.match(await textOf(page.getByRole('alert')), 'unreachable');
    t.same(await stumblingBlocks(page), []);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table').getByRole('link', { name: spender.agentId }).waitFor();
    await page.locator('h1:focus').waitFor();
  },

  'what something in between answered is not taken for a failing network': async (
    t,
    { spender },
    page,
  ) => {
    const error = { code: 'BAD_GATEWAY', message: 'No upstream.', details: { errors: 'none' } };
    const answers = [
      { status: 502, json: { error } },
      { status: 200, body: '<html>Sign in' },
    ];
    await page.route('**/api/v1/agents?*', async (route) => {
      const answer = answers.shift();
      await (answer ? route.fulfill(answer) : route.continue());
    });
    const told = page.getByRole('alert');
    await go(page, '#/agents?status=ACTIVE');
    t.match(await textOf(told), /not one of Countersign\..*502/s);
    await page.getByRole('button', { name: 'Try again' }).click();
    await told.filter({ hasText: '200' }).waitFor();
    t.match(await textOf(told), 'not one of Countersign.');
    await go(page, '#/agents');
    await page.getByRole('table').getByRole('link', { name: spender.agentId }).waitFor();
  },

  'an id that cannot be shown here says what helps': async (t, { stack, tenant }, page) => {
    const sibling = await newSpender(stack, tenant);
    const { authorization_id: id, transaction_id: transaction } = await pay(sibling);
    await go(page, `#/decisions/${id}`);
    const mismatch = /TENANT_MISMATCH/;
    const refusal = await textOf(page.getByRole('alert').filter({ hasText: mismatch }));
    t.match(refusal, 'sign out and sign in for its Principal');
    await page.getByLabel('Go to id').fill(transaction);
    await page.keyboard.press('Enter');
    const wrong = page.getByText('There are screens for auth_…, agt_…');
    await wrong.waitFor();
    t.same(await stumblingBlocks(page), []);
    await go(page, '#/thresholds');
    t.equal(await wrong.count(), 0, 'on another screen it is not wrong any more');
  },

  'a name keeps to its place, whatever is in it': async (t, { spender }, page) => {
    const names = ['\u202eDSU 00.1\u202c', 'W'.repeat(255), '<b>Shop</b>', ' '];
    for (const name of names) await pay(spender, { amount: '666.02', merchant_name: name });
    await go(page, '#/step-ups');
    t.match(await mainText(page), /666\.02 USD\s+\[U\+202E\]DSU 00\.1\[U\+202C\]/);
    t.match(await mainText(page), '<b>Shop</b>');
    t.match(await mainText(page), '(blank)');
    const deny = page
      .getByRole('row')
      .filter({ hasText: 'WWW' })
      .getByRole('button', { name: 'Deny' });
    const { x = 0, width = 0 } = (await deny.boundingBox()) ?? {};
    t.ok(x > 0 && x + width < (page.viewportSize()?.width ?? 0), 'the answer stays in sight');
  },

  'a challenge is shown with what became of it': async (t, { stack, tenant, key }, page) => {
    const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '1000.00' });
    const id = await newChallenge(spender);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, { ...key, principalId: spender.principalId });
    await go(page, `#/agents/${spender.agentId}/decisions`);
    t.match(await mainText(page), /STEP UP\s+PENDING\s+666\.02 USD/);
    await go(page, `#/decisions/${id}`);
    t.match(await mainText(page), /STEP UP\s+PENDING\s+666\.02 USD/);
  },

  'a payment that was reversed is marked, in the list and alone': async (t, world, page) => {
    const { spender } = world;
    const { authorization_id: id } = await pay(spender, { amount: '12.30' });
    const reverse = async (body: Record<string, unknown>) =>
      expectStatus(
        await spender.acting.post('/api/v1/authorize/reverse', { authorization_id: id, ...body }),
        200,
      );
    const row = page.getByRole('row').filter({ hasText: id });
    const list = `#/agents/${spender.agentId}/decisions`;
    await reverse({ amount: '2.30' });
    await go(page, list);
    t.match(await textOf(row), /APPROVE\s+PARTLY REVERSED\s+12\.30 USD/);
    await reverse({});
    await go(page, `#/decisions/${id}`);
    t.match(await mainText(page), /APPROVE\s+REVERSED\s+12\.30 USD/);
    await go(page, list);
    t.match(await textOf(row), /APPROVE\s+REVERSED\s+12\.30 USD/);
    t.same(await stumblingBlocks(page), []);
  },

  'a page behind the last one says so, and leads back': async (t, { spender }, page) => {
    await go(page, '#/agents?status=ACTIVE&page=7');
    t.match(await mainText(page), 'There is no page 7.');
    t.same(await stumblingBlocks(page), []);
    await page.getByRole('link', { name: 'First page' }).click();
    await page.getByRole('link', { name: spender.agentId }).waitFor();
    t.match(page.url(), /status=ACTIVE&page=1$/, 'of the same list');
    const pagination = { has_more: false, next_cursor: null, limit: 25 };
    await page.route('**/api/v1/webhooks?cursor=*', (route) =>
      route.fulfill({ json: { data: [], pagination } }),
    );
    await go(page, '#/webhooks?cursor=of-what-was-deleted');
    t.match(await mainText(page), 'There is nothing on this page any more.');
    await page.getByRole('link', { name: 'Newest' }).click();
    await page.getByRole('table').waitFor();
  },

  'the button of a row says which row it is of': async (t, { stack, tenant, key }, page) => {
    const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '1000.00' });
    const challenges = [await newChallenge(spender), await newChallenge(spender)];
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, { ...key, principalId: spender.principalId });
    await go(page, '#/step-ups');
    for (const id of challenges) {
      for (const answer of ['Confirm', 'Deny']) {
        const name = new RegExp(`^${answer} 666\\.02 USD to .+, ${id}$`);
        t.equal(await textOf(page.getByRole('button', { name })), answer, 'and shows one word');
      }
    }
  },

  'a level that the score keeps from an agent says so': async (t, { spender }, page) => {
    await tamper(page, 'agents/*/metrics', (text) => text.replaceAll('"met":false', '"met":true'));
    await go(page, `#/agents/${spender.agentId}`);
    t.match(await mainText(page), /decline rate\s+[\d.…]+\s+below 0\.05, or 0\s+yes/);
    t.match(await mainText(page), 'below the zone that this level needs');
    t.same(await stumblingBlocks(page), []);
  },

  'an answer that nobody understands leaves the way to others': async (t, _world, page) => {
    await page.route('**/api/v1/thresholds', (route) => route.fulfill({ json: {} }));
    await go(page, '#/thresholds');
    await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
    t.same(await stumblingBlocks(page), []);
    await go(page, '#/webhooks');
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
  },

  'a narrow screen shows a row whole, with its buttons and fields': async (t, world, page) => {
    const { stack, tenant, key } = world;
    // An agent has at most five open challenges, and other tests need theirs.
    const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '1000.00' });
    await newChallenge(spender);
    const { authorization_id: declined } = await pay(spender, { amount: '1200.50' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, { ...key, principalId: spender.principalId });
    await page.setViewportSize({ width: 360, height: 740 });
    const isInSight = async (role: 'button' | 'textbox' | 'cell', name: string | RegExp) => {
      const box = await page.getByRole(role, { name }).first().boundingBox();
      return box !== null && box.x >= 0 && box.x + box.width <= 360;
    };
    await go(page, '#/step-ups');
    t.ok(await isInSight('button', 'Confirm'));
    await go(page, '#/thresholds');
    t.ok(await isInSight('textbox', 'risk_score_step_up'));
    await go(page, `#/decisions/${declined}`);
    t.ok(await isInSight('cell', /at most/), 'what a reason requires');
  },

  'every screen can be used by everybody, wide or narrow, light or dark': async (
    t,
    world,
    page,
  ) => {
    const { spender, declined } = world;
    await newChallenge(spender);
    const cases = expectStatus(await spender.acting.get('/api/v1/cases'), 200);
    const addresses = [
      '#/agents',
      `#/agents/${spender.agentId}`,
      `#/agents/${spender.agentId}/decisions?limit=2`,
      `#/decisions/${declined}`,
      `#/mandates/${spender.mandateId}`,
      '#/decisions',
      '#/decisions?client_reference=none',
      '#/step-ups',
      `#/cases/${cases.data[0].id}`,
      '#/takeovers',
      '#/webhooks',
      `#/webhooks/${world.webhookId}`,
      '#/thresholds',
      '#/nowhere',
    ];
    for (const [index, hash] of addresses.entries()) {
      const isDark = index % 2 === 1;
      await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
      await page.setViewportSize({ width: 360, height: 740 });
      await go(page, hash);
      const overflow =
        'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      t.equal(await page.evaluate(overflow), 0, `${hash} fits a narrow screen`);
      t.same(await stumblingBlocks(page), [], `${hash} narrow`);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: isDark ? 'light' : 'dark' });
      t.same(await stumblingBlocks(page), [], `${hash} wide`);
    }
  },
};
