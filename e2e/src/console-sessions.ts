import { until } from '@countersign/runtime/testing';
import type { Scenarios } from './console-scenario.js';
import { enterKey, go, hold, mainText, signIn, stumblingBlocks, textOf } from './console-visit.js';
import { newChallenge, newKey, newWebhook } from './console-world.js';
import { expectStatus, newSpender, newTenant } from './tenant.js';

/** A delivery after its last attempt, for which no test waits. */
const givenUp = {
  ...{ id: 'whd_1', event_id: 'evt_1', event: 'authorization.decline', status: 'FAILED' },
  ...{ attempts: [], created_at: '2026-11-21T12:00:00.000Z' },
};

/** Sign-in, the end of sessions, and the scopes of keys. */
export const sessions: Scenarios = {
  'a key that is none is refused in the words of the API': async (t, world, { page }) => {
    await enterKey(page, { apiKey: `${world.key.apiKey.slice(0, -1)}x` });
    const refusal = page.getByRole('alert');
    t.match(await textOf(refusal), /401 INVALID_API_KEY\s+request req_/);
    t.same(await stumblingBlocks(page), []);
  },

  'the key is in the memory of the page and nowhere else': async (t, world, { page }) => {
    await signIn(page, world.key);
    await go(page, `#/agents/${world.spender.agentId}`);
    const kept = await page.evaluate<string>(
      'JSON.stringify([location.href, document.cookie, {...localStorage}, {...sessionStorage}])',
    );
    t.notMatch(kept, world.key.apiKey);
    t.match(kept, /"",\{\},\{\}\]$/, 'nothing is stored at all');
    await page.reload();
    t.equal(await page.getByLabel('API key').inputValue(), '', 'who reloads is signed out');
    await signIn(page, world.key);
    await page.getByRole('heading', { name: 'Shopper' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
  },

  'a sandbox key of one Principal says for whom it acts': async (t, world, { page }) => {
    const { tenant, spender } = world;
    const path = `/api/v1/principals/${spender.principalId}/sandbox-key`;
    const { api_key: apiKey } = expectStatus(await tenant.client.post(path), 201);
    await signIn(page, { apiKey });
    t.match(await textOf(page.getByRole('banner')), spender.principalId);
  },

  'a key that names no Principal goes on for the one it found': async (t, world, { page }) => {
    const tenant = await newTenant(world.stack);
    const { principalId, agentId } = await newSpender(world.stack, tenant);
    await signIn(page, { apiKey: tenant.apiKey });
    t.match(await textOf(page.getByRole('banner')), principalId);
    await newSpender(world.stack, tenant);
    await go(page, `#/agents/${agentId}`);
    t.ok(await page.getByRole('button', { name: 'Suspend' }).isVisible(), 'beside a second one');
  },

  'a desk that nobody sits at forgets its key': async (t, world, { page }) => {
    await page.clock.install();
    await page.reload();
    await signIn(page, world.key);
    const agents = page.getByRole('heading', { name: 'Agents' });
    await agents.waitFor();
    await page.clock.fastForward('29:00');
    await page.keyboard.press('Shift');
    await page.clock.fastForward('29:00');
    t.ok(await agents.isVisible(), 'somebody is still there');
    await page.clock.fastForward('01:30');
    await page.getByLabel('API key').waitFor();
    t.match(await mainText(page), 'ended because the console was not used for half an hour');
    t.equal(await page.getByLabel('API key').inputValue(), '');
    t.same(await stumblingBlocks(page), []);
    await signIn(page, world.key);
    await agents.waitFor();
    await page.clock.setSystemTime(Date.now() + 86_400_000);
    await page.keyboard.press('Shift');
    // After a night in which timers were suspended too.
    await page.getByLabel('API key').waitFor();
    await signIn(page, world.key);
    await agents.waitFor();
    await page.evaluate(`dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))`);
    await page.getByLabel('API key').waitFor();
    t.notMatch(await mainText(page), 'The session ended', 'they left it themselves');
  },

  'a key of another Client takes over, whoever the one before it acted for': async (
    t,
    world,
    { page },
  ) => {
    const other = await newTenant(world.stack);
    const { principalId } = await newSpender(world.stack, other);
    await page.clock.install();
    await page.reload();
    await signIn(page, world.liveKey);
    await page.clock.fastForward('30:30');
    await page.getByLabel('API key').fill(other.apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    t.match(await textOf(page.getByRole('banner')), principalId);
  },

  'a key that is revoked is asked for again, where one was': async (t, world, { page }) => {
    const { key, revoke } = await newKey(world);
    await signIn(page, key);
    await go(page, `#/agents/${world.spender.agentId}`);
    await revoke();
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('Too late');
    await page.getByRole('button', { name: 'Suspend agent' }).click();
    await page.getByLabel('API key').waitFor();
    t.match(await textOf(page.getByRole('alert')), /401 INVALID_API_KEY/);
    t.match(await mainText(page), /was not carried out/);
    t.equal(await page.getByLabel('API key').inputValue(), '');
    t.equal(await page.getByLabel('Principal').inputValue(), world.spender.principalId);
    t.same(await stumblingBlocks(page), []);
    await signIn(page, world.key);
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
  },

  'what a key may not do has no button and no screen': async (t, world, { page }) => {
    // A separate agent, because pending step-ups count against its score.
    const spender = await newSpender(world.stack, world.tenant, {
      max_amount_per_transaction: '1000.00',
    });
    const { key, narrow } = await newKey(world, { spender, scopes: 'agents,authorize' });
    await signIn(page, key);
    const places = page.getByRole('navigation', { name: 'Screens' });
    t.equal(await textOf(places), 'Agents\nDecisions\nStep-ups', 'nothing else is offered');
    await go(page, `#/agents/${spender.agentId}`);
    t.match(await textOf(page.getByRole('alert').first()), /403 ERROR/, 'its mandates');
    const id = await newChallenge(spender);
    await go(page, '#/step-ups');
    const row = page.getByRole('row').filter({ hasText: id });
    const deny = row.getByRole('button', { name: 'Deny 666.02' });
    await deny.click();
    await narrow('agents');
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: 'Deny payment' }).click();
    t.match(await textOf(question.getByRole('alert')), /403 ERROR/, 'and it is said why');
    await deny.waitFor({ state: 'detached' });
    t.equal(await textOf(places), 'Agents');
  },

  'what one key may not do is not held against the next': async (t, world, { page }) => {
    const { key, narrow } = await newKey(world);
    await signIn(page, key);
    await go(page, '#/thresholds');
    await narrow('agents');
    const release = await hold(page, 'thresholds/preview?*');
    await page.getByLabel('risk_score_step_up').fill('0.5');
    await page.getByLabel('Agent').selectOption({ index: 1 });
    const refused = page.waitForResponse('**/api/v1/thresholds/preview?*');
    await page.getByRole('button', { name: 'Evaluate' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, world.key);
    const places = page.getByRole('navigation', { name: 'Screens' });
    const offered = await textOf(places);
    release();
    t.equal(await (await refused).finished(), null);
    t.equal((await refused).status(), 403);
    await go(page, '#/agents');
    t.equal(await textOf(places), offered, 'the refusal came when it was forgotten already');
  },

  'a key that only reads shows everything, and no button that changes it': async (
    t,
    world,
    { page },
  ) => {
    const spender = await newSpender(world.stack, world.tenant, {
      max_amount_per_transaction: '1000.00',
    });
    const { key } = await newKey(world, { spender, access: 'read' });
    await signIn(page, key);
    const id = await newChallenge(spender);
    await go(page, '#/step-ups');
    const row = page.getByRole('row').filter({ hasText: id });
    await row.waitFor();
    t.equal(await row.getByRole('button', { name: /^(Confirm|Deny)/ }).count(), 0);
    await go(page, `#/agents/${spender.agentId}`);
    await page.getByRole('heading', { name: 'Latest decisions' }).waitFor();
    t.equal(await page.getByRole('button', { name: /Suspend|Revoke/ }).count(), 0);
    await go(page, '#/thresholds');
    await page.getByLabel('risk_score_step_up').fill('0.5');
    t.equal(await page.getByRole('button', { name: /Change|Reset/ }).count(), 0);
    t.ok(await page.getByRole('button', { name: 'Evaluate' }).isVisible());
    const webhookId = await newWebhook(spender);
    await page.route(`**/api/v1/webhooks/${webhookId}/deliveries?*`, (route) =>
      route.fulfill({ json: { data: [givenUp], pagination: { next_cursor: null } } }),
    );
    await go(page, `#/webhooks/${webhookId}`);
    await page.getByText('FAILED', { exact: true }).waitFor();
    t.equal(await page.getByRole('button', { name: 'Deliver again' }).count(), 0);
    t.same(await stumblingBlocks(page), []);
  },

  'a key at the wrong address is refused, and keeps what it may do': async (t, world, { page }) => {
    const { key, admit } = await newKey(world);
    await signIn(page, key);
    const places = page.getByRole('navigation', { name: 'Screens' });
    const offered = await textOf(places);
    await admit(['198.51.100.7']);
    await go(page, '#/webhooks');
    t.match(await textOf(page.getByRole('alert')), /from this address.*allowlist.*403 ERROR/s);
    t.equal(await textOf(places), offered, 'no scope is missing');
    t.same(await stumblingBlocks(page), []);
    await admit([]);
    await go(page, `#/agents/${world.spender.agentId}`);
    t.ok(await page.getByRole('button', { name: 'Suspend' }).isVisible());
    await go(page, '#/webhooks');
    t.ok(await page.getByRole('table').isVisible(), 'as if nothing had been');
  },

  'live and sandbox cannot be taken for each other': async (t, world, { page }) => {
    const band = page.getByLabel('Environment', { exact: true });
    await page.getByLabel('API key').fill(world.key.apiKey);
    t.match(await textOf(band), /^SANDBOX/);
    await signIn(page, world.liveKey);
    t.match(await textOf(band), /^LIVE/);
    await until(async () => /LIVE/.test(await page.title()), { what: 'LIVE in the title' });
  },
};
