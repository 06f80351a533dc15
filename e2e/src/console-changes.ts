import { until } from '@countersign/runtime/testing';
import type { SignedInScenarios } from './console-scenario.js';
import { go, mainText, stumblingBlocks, textOf } from './console-visit.js';
import { newChallenge, pay } from './console-world.js';
import { expectStatus } from './tenant.js';

/** Changes made from the console, with the consequences that are shown before. */
export const changes: SignedInScenarios = {
  'a challenge is denied, after it was said what that does': async (t, world, page) => {
    const { spender } = world;
    const id = await newChallenge(spender);
    await go(page, '#/step-ups');
    const row = page.getByRole('row').filter({ hasText: id });
    await row.getByRole('button', { name: 'Deny' }).click();
    const question = page.getByRole('dialog');
    t.match(await textOf(question), /666\.02 USD .*is declined\./s);
    t.same(await stumblingBlocks(page), []);
    await question.getByRole('button', { name: 'Cancel' }).click();
    t.ok(await row.isVisible(), 'nothing happens without a yes');
    await row.getByRole('button', { name: 'Deny' }).click();
    await question.getByLabel('Reason').fill('Not mine');
    await question.getByRole('button', { name: 'Deny payment' }).click();
    await row.waitFor({ state: 'detached' });
    await page.locator('h1:focus').waitFor();
    const entry = expectStatus(await spender.acting.get(`/api/v1/authorize/log/${id}`), 200);
    t.match(entry, { decision: 'DECLINE', step_up: { status: 'DENIED' } });
    await go(page, `#/decisions/${id}`);
    t.match(await mainText(page), /Valid\..*denials are not\s+signed/s);
  },

  'an agent is suspended, and pays again once reactivated': async (t, world, page) => {
    const { spender } = world;
    await go(page, `#/agents/${spender.agentId}`);
    await page.getByRole('button', { name: 'Suspend' }).focus();
    // By keyboard only: the dialog takes the focus, and its last button confirms.
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog');
    await question.waitFor();
    await page.keyboard.type('Unusual spending');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const reactivate = page.getByRole('button', { name: 'Reactivate' });
    await reactivate.waitFor();
    t.match(await pay(spender), { decision: 'DECLINE', reason_codes: ['AGENT_SUSPENDED'] });
    await reactivate.click();
    await question.getByLabel('Reason').fill('It was a holiday');
    await question.getByRole('button', { name: 'Reactivate agent' }).click();
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
    t.match(await pay(spender), { decision: 'APPROVE' });
  },

  'what was sent is read again, whatever came of it': async (t, { spender }, page) => {
    const path = `/api/v1/agents/${spender.agentId}/status`;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`**${path}`, async (route) => {
      await route.fetch();
      await held;
      await route.abort();
    });
    await go(page, `#/agents/${spender.agentId}`);
    await page.getByRole('button', { name: 'Suspend' }).click();
    const question = page.getByRole('dialog');
    await question.getByLabel('Reason').fill('Slow');
    await question.getByRole('button', { name: 'Suspend agent' }).click();
    const cancel = question.getByRole('button', { name: 'Cancel' });
    t.ok(await cancel.isDisabled(), 'what is on its way cannot be called back');
    await page.keyboard.press('Escape');
    t.ok(await question.isVisible());
    release();
    t.match(await textOf(question.getByRole('alert')), 'unreachable');
    await cancel.click();
    await page.getByRole('button', { name: 'Reactivate' }).waitFor();
    const back = { status: 'ACTIVE', reason: 'It was a test' };
    expectStatus(await spender.acting.call('PATCH', path, { body: back }), 200);
  },

  'a mandate is revoked': async (t, { spender }, page) => {
    const granted = await spender.acting.post('/api/v1/mandates', {
      agent_id: spender.agentId,
      valid_until: new Date(Date.now() + 86_400_000).toISOString(),
      max_amount_per_transaction: '5.00',
    });
    const { id } = expectStatus(granted, 201);
    await go(page, `#/mandates/${id}`);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke mandate' }).click();
    await page.getByText('REVOKED', { exact: true }).first().waitFor();
    // The button is gone, and the keyboard is not thrown back to the top of the page.
    await page.locator('h1:focus').waitFor();
    t.match(expectStatus(await spender.acting.get(`/api/v1/mandates/${id}`), 200), {
      status: 'REVOKED',
    });
  },

  'an event that was given up is delivered again': async (t, { spender, webhookId }, page) => {
    const path = `/api/v1/webhooks/${webhookId}/deliveries?limit=100`;
    const deliveries = async (): Promise<Array<Record<string, unknown>>> =>
      expectStatus(await spender.acting.get(path), 200).data;
    const given = async () => (await deliveries()).find(({ status }) => status === 'FAILED');
    const failed = { what: 'a failed delivery', timeoutMs: 60_000 };
    await until(async () => (await given()) !== undefined, failed);
    const { id, event_id: eventId } = (await given()) ?? {};
    await go(page, `#/webhooks/${webhookId}`);
    const row = page.getByRole('row').filter({ hasText: String(eventId) });
    const name = `Deliver again authorization.decline, ${eventId}`;
    await row.getByRole('button', { name }).click();
    const question = page.getByRole('dialog');
    t.match(await textOf(question), 'with the same id');
    t.same(await stumblingBlocks(page), []);
    await question.getByRole('button', { name: 'Deliver event' }).click();
    await row.getByText('PENDING', { exact: true }).waitFor();
    const again = (await deliveries()).find((each) => each.id === id);
    t.match(again, { status: 'PENDING', event_id: eventId });
  },

  'a fraud case is closed': async (t, { spender }, page) => {
    const cases = expectStatus(await spender.acting.get('/api/v1/cases'), 200);
    const { id } = cases.data[0];
    await go(page, '#/cases');
    await page.getByRole('link', { name: id }).click();
    await page.getByRole('button', { name: 'Inconclusive' }).click();
    await page.getByRole('button', { name: 'Close case' }).click();
    await page.getByText('RESOLVED', { exact: true }).waitFor();
    const closed = expectStatus(await spender.acting.get(`/api/v1/cases/${id}`), 200);
    t.match(closed, { status: 'RESOLVED', resolution: 'INCONCLUSIVE' });
  },

  'a threshold is changed as it was typed': async (t, { spender }, page) => {
    await go(page, '#/thresholds');
    await page.getByLabel('risk_score_hard_decline').fill('0.50');
    await page.getByRole('button', { name: 'Change…' }).click();
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: 'Change' }).click();
    const refusal = await textOf(question.getByRole('alert'));
    t.match(refusal, /422 VALIDATION_ERROR/, 'below the step-up: the service says why not');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('risk_score_hard_decline').fill('0.90');
    const preview = page.getByRole('region', { name: 'Preview' });
    const agent = preview.getByLabel('Agent');
    const evaluate = preview.getByRole('button', { name: 'Evaluate' });
    const evaluated = preview.getByText('No decision would differ.');
    let sent = 0;
    await page.route('**/api/v1/thresholds/preview?*', (route) => {
      sent += 1;
      return sent === 1 ? route.abort() : route.continue();
    });
    await agent.selectOption({ index: 1 });
    await evaluate.click();
    t.match(await textOf(preview.getByRole('alert')), 'unreachable');
    await evaluate.click();
    await evaluated.waitFor();
    t.match(await textOf(preview), /Decisions evaluated: [1-9]/);
    await agent.selectOption({ index: 0 });
    await agent.selectOption({ index: 1 });
    await evaluate.click();
    await evaluated.waitFor();
    t.equal(sent, 3, 'once for each click');
    await page.getByRole('button', { name: 'Change…' }).click();
    await question.getByRole('button', { name: 'Change' }).click();
    await question.waitFor({ state: 'detached' });
    const { overrides } = expectStatus(await spender.acting.get('/api/v1/thresholds'), 200);
    t.equal(overrides.risk_score_hard_decline, 0.9);
  },
};
