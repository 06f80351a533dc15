import type { Page, Route } from 'playwright-core';
import t, { type Test } from 'tap';
import { go, signIn, stumblingBlocks, textOf, type Visit, visit } from './console-visit.js';
import { type ConsoleWorld, newChallenge, newKey, openWorld, pay } from './console-world.js';
import { expectStatus, newSpender } from './tenant.js';

// A browser beside six services, on a machine that may be busy with other tests.
t.setTimeout(240_000);
const opened = await openWorld();
if (typeof opened === 'string') {
  process.stderr.write(`The console was not tested in a browser: ${opened}\n`);
} else {
  t.teardown(() => opened.stop());
}

/** One visit each: nobody is signed in by the test before. */
function atConsole(
  name: string,
  run: (t: Test, world: ConsoleWorld, guest: Visit) => Promise<void>,
): void {
  const skip = typeof opened === 'string' ? opened : false;
  t.test(name, { skip }, async (t) => {
    if (typeof opened === 'string') return;
    const guest = await visit(opened.browser, opened.stack.baseUrl);
    await run(t, opened, guest);
    t.same(guest.complaints, [], 'neither the page nor its policy complains');
    await guest.close();
  });
}

/** The same, signed in with the key of the sandbox. */
function signedIn(
  name: string,
  run: (t: Test, world: ConsoleWorld, page: Page) => Promise<void>,
): void {
  atConsole(name, async (t, world, { page }) => {
    await signIn(page, world.key);
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    await run(t, world, page);
  });
}

const main = (page: Page) => textOf(page.getByRole('main'));

atConsole('a key that is none is refused in the words of the API', async (t, world, { page }) => {
  await signIn(page, { apiKey: `${world.key.apiKey.slice(0, -1)}x` });
  const refusal = page.getByRole('alert');
  t.match(await textOf(refusal), /401 INVALID_API_KEY\s+request req_/);
  t.same(await stumblingBlocks(page), []);
});

atConsole('the key is in the memory of the page and nowhere else', async (t, world, { page }) => {
  await signIn(page, world.key);
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
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
});

atConsole('a sandbox key of one Principal says for whom it acts', async (t, world, { page }) => {
  const { tenant, spender } = world;
  const path = `/api/v1/principals/${spender.principalId}/sandbox-key`;
  const { api_key: apiKey } = expectStatus(await tenant.client.post(path), 201);
  await signIn(page, { apiKey });
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  t.match(await textOf(page.getByRole('banner')), spender.principalId);
});

atConsole('a desk that nobody sits at forgets its key', async (t, world, { page }) => {
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
  await signIn(page, world.key);
  await agents.waitFor();
  await page.clock.setSystemTime(Date.now() + 86_400_000);
  await page.keyboard.press('Shift');
  // After a night in which the timers slept too.
  await page.getByLabel('API key').waitFor();
  await signIn(page, world.key);
  await agents.waitFor();
  await page.evaluate(`dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))`);
  await page.getByLabel('API key').waitFor();
});

atConsole('a key that is revoked is asked for again, where one was', async (t, world, { page }) => {
  const { key, revoke } = await newKey(world);
  await signIn(page, key);
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  await go(page, `#/agents/${world.spender.agentId}`);
  await revoke();
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('Too late');
  await page.getByRole('button', { name: 'Suspend it' }).click();
  await page.getByLabel('API key').waitFor();
  t.match(await textOf(page.getByRole('alert')), /401 INVALID_API_KEY/);
  t.match(await main(page), /was not done/);
  t.equal(await page.getByLabel('API key').inputValue(), '');
  t.equal(await page.getByLabel('Principal').inputValue(), world.spender.principalId);
  t.same(await stumblingBlocks(page), []);
  await signIn(page, world.key);
  await page.getByRole('button', { name: 'Suspend' }).waitFor();
});

atConsole('what a key may not do has no button and no screen', async (t, world, { page }) => {
  // An agent of its own: what waits for a human counts against it.
  const spender = await newSpender(world.stack, world.tenant, {
    max_amount_per_transaction: '1000.00',
  });
  const { key, narrow } = await newKey(world, { spender, scopes: 'agents,authorize' });
  await signIn(page, key);
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  const places = page.getByRole('navigation', { name: 'Screens' });
  t.equal(await textOf(places), 'Agents\nStep-ups', 'nothing else is offered');
  await go(page, `#/agents/${spender.agentId}`);
  t.match(await textOf(page.getByRole('alert').first()), /403 ERROR/, 'its mandates');
  const id = await newChallenge(spender);
  await go(page, '#/step-ups');
  const row = page.getByRole('row').filter({ hasText: id });
  const deny = row.getByRole('button', { name: 'Deny', exact: true });
  await deny.click();
  await narrow('agents');
  const question = page.getByRole('dialog');
  await question.getByRole('button', { name: 'Deny the payment' }).click();
  t.match(await textOf(question.getByRole('alert')), /403 ERROR/, 'and it is said why');
  await deny.waitFor({ state: 'detached' });
  t.equal(await textOf(places), 'Agents');
});

atConsole('live and sandbox cannot be taken for each other', async (t, world, { page }) => {
  const band = page.getByLabel('Environment', { exact: true });
  await page.getByLabel('API key').fill(world.key.apiKey);
  t.match(await textOf(band), /^SANDBOX/);
  await signIn(page, world.liveKey);
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  t.match(await textOf(band), /^LIVE/);
  t.match(await page.title(), /LIVE/);
});

signedIn('a declined payment is explained', async (t, { declined, spender }, page) => {
  await go(page, `#/agents/${spender.agentId}/decisions`);
  t.match(await main(page), /DECLINE\s+1200\.50 USD\s+Lucky Casino/, 'with all its decimals');
  await page.getByRole('link', { name: declined }).click();
  await page.getByText('Valid.', { exact: true }).waitFor();
  const text = await main(page);
  t.match(text, 'The amount is above the limit of one transaction.');
  t.match(text, /1200\.50\s+at most 1000\.00/, 'what it was and what it had to be');
  t.match(text, /one payment\s+1000\.00 USD/, 'the limit of that time');
  t.match(text, spender.mandateId);
  t.match(text, /judged anew\s+the same decision/);
  t.match(text, 'hashed again: the name of the merchant and what the agent said');
  t.match(text, 'Not signed, and not verified here: what was used of the limits');
  const [, here, there] =
    /decided\s+[\d-]+ (\d\d):[\d:]+\s(?:[\d-]+ )?(\d\d):[\d:]+ UTC/.exec(text) ?? [];
  t.match((24 + Number(here) - Number(there)) % 24, /^[12]$/, 'by the clock of Berlin and by UTC');
});

/** Changes an answer on its way, as somebody would who wants a decision to look otherwise. */
async function tamper(page: Page, path: string, change: (text: string) => string): Promise<void> {
  await page.route(`**/api/v1/${path}`, async (route: Route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: change(await response.text()) });
  });
}

signedIn('an attestation that was tampered with is invalid', async (t, { approved }, page) => {
  await tamper(page, `authorize/log/${approved}`, (text) =>
    text.replace(/("jws":"[^.]+\.)(.)/, (_all, head, first) => head + (first === 'e' ? 'f' : 'e')),
  );
  await go(page, `#/decisions/${approved}`);
  t.match(await textOf(page.getByRole('alert')), /^Invalid\./);
});

signedIn('what is shown otherwise than signed is named', async (t, { approved }, page) => {
  await tamper(page, `authorize/log/${approved}`, (text) => text.replace('"10.50"', '"1.50"'));
  await go(page, `#/decisions/${approved}`);
  t.match(await textOf(page.getByRole('alert')), /^Not what was signed\..*: amount\.$/s);
});

signedIn('facts that were changed behind it are named', async (t, { declined }, page) => {
  const explain = `authorize/log/${declined}/explain`;
  await tamper(page, explain, (text) => text.replace('"amount":"1200.5', '"amount":"200.5'));
  await go(page, `#/decisions/${declined}`);
  t.match(await textOf(page.getByRole('alert')), /^Not what was .*: amount of the facts\.$/s);
  await page.unrouteAll();
  const limit = '"max_amount_per_transaction":"';
  await tamper(page, explain, (text) => text.replace(limit, `${limit}9`));
  await go(page, '#/agents');
  await go(page, `#/decisions/${declined}`);
  t.match(await textOf(page.getByRole('alert')), /: mandate_hash of the terms\.$/);
  await page.unrouteAll();
  await tamper(page, explain, (text) => text.replace('Lucky Casino', 'Example Books'));
  await go(page, '#/agents');
  await go(page, `#/decisions/${declined}`);
  t.match(await main(page), /name of the\s+merchant.* are not verified/s);
});

signedIn('a key that is not published is said to be unknown', async (t, { approved }, page) => {
  await tamper(page, '.well-known/jwks.json', () => '{"keys":[]}');
  await go(page, `#/decisions/${approved}`);
  t.match(await textOf(page.getByRole('alert')), /^Key unknown\./);
});

signedIn('a challenge is denied, after it was said what that does', async (t, world, page) => {
  const { spender } = world;
  const id = await newChallenge(spender);
  await go(page, '#/step-ups');
  const row = page.getByRole('row').filter({ hasText: id });
  await row.getByRole('button', { name: 'Deny' }).click();
  const question = page.getByRole('dialog');
  t.match(await textOf(question), /666\.02 USD .*is declined for good/s);
  t.same(await stumblingBlocks(page), []);
  await question.getByRole('button', { name: 'Cancel' }).click();
  t.ok(await row.isVisible(), 'nothing happens without a yes');
  await row.getByRole('button', { name: 'Deny' }).click();
  await question.getByLabel('Reason').fill('Not mine');
  await question.getByRole('button', { name: 'Deny the payment' }).click();
  await row.waitFor({ state: 'detached' });
  const entry = expectStatus(await spender.acting.get(`/api/v1/authorize/log/${id}`), 200);
  t.match(entry, { decision: 'DECLINE', step_up: { status: 'DENIED' } });
  await go(page, `#/decisions/${id}`);
  t.match(await main(page), /Valid\..*a denial is not\s+signed/s);
});

signedIn('an agent is suspended, and pays again once reactivated', async (t, world, page) => {
  const { spender } = world;
  await go(page, `#/agents/${spender.agentId}`);
  await page.getByRole('button', { name: 'Suspend' }).focus();
  // By keyboard alone: the question takes the focus, and its last button gives the answer.
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
  await question.getByRole('button', { name: 'Reactivate it' }).click();
  await page.getByRole('button', { name: 'Suspend' }).waitFor();
  t.match(await pay(spender), { decision: 'APPROVE' });
});

signedIn('what is not there is said in the words of the API', async (t, _world, page) => {
  await go(page, '#/decisions/auth_01k5a3v7q8e9f0g1h2j3k4m5n6');
  t.match(await textOf(page.getByRole('alert')), /404 NOT_FOUND\s+request req_/);
  t.ok(await page.getByRole('heading', { name: 'Decision' }).isVisible());
  t.same(await stumblingBlocks(page), []);
});

signedIn('what was sent is read again, whatever came of it', async (t, { spender }, page) => {
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
  await question.getByRole('button', { name: 'Suspend it' }).click();
  const cancel = question.getByRole('button', { name: 'Cancel' });
  t.ok(await cancel.isDisabled(), 'what is on its way cannot be called back');
  await page.keyboard.press('Escape');
  t.ok(await question.isVisible());
  release();
  t.match(await textOf(question.getByRole('alert')), 'cannot be reached');
  await cancel.click();
  await page.getByRole('button', { name: 'Reactivate' }).waitFor();
  const back = { status: 'ACTIVE', reason: 'It was a test' };
  expectStatus(await spender.acting.call('PATCH', path, { body: back }), 200);
});

signedIn('a name keeps to its place, whatever is in it', async (t, { spender }, page) => {
  const names = ['\u202eDSU 00.1\u202c', 'W'.repeat(255), '<b>Shop</b>', ' '];
  for (const name of names) await pay(spender, { amount: '666.02', merchant_name: name });
  await go(page, '#/step-ups');
  t.match(await main(page), /666\.02 USD\s+\[U\+202E\]DSU 00\.1\[U\+202C\]/);
  t.match(await main(page), '<b>Shop</b>');
  t.match(await main(page), '(blank)');
  const deny = page
    .getByRole('row')
    .filter({ hasText: 'WWW' })
    .getByRole('button', { name: 'Deny' });
  const { x = 0, width = 0 } = (await deny.boundingBox()) ?? {};
  t.ok(x > 0 && x + width < (page.viewportSize()?.width ?? 0), 'the answer stays in sight');
});

signedIn('an answer that nobody understands leaves the way to others', async (t, _world, page) => {
  await page.route('**/api/v1/thresholds', (route) => route.fulfill({ json: {} }));
  await go(page, '#/thresholds');
  await page.getByRole('heading', { name: 'This cannot be shown' }).waitFor();
  t.same(await stumblingBlocks(page), []);
  await go(page, '#/webhooks');
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
});

signedIn('a mandate is revoked', async (t, { spender }, page) => {
  const granted = await spender.acting.post('/api/v1/mandates', {
    agent_id: spender.agentId,
    valid_until: new Date(Date.now() + 86_400_000).toISOString(),
    max_amount_per_transaction: '5.00',
  });
  const { id } = expectStatus(granted, 201);
  await go(page, `#/mandates/${id}`);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke it' }).click();
  await page.getByText('REVOKED', { exact: true }).first().waitFor();
  t.match(expectStatus(await spender.acting.get(`/api/v1/mandates/${id}`), 200), {
    status: 'REVOKED',
  });
});

signedIn('a fraud case is closed', async (t, { spender }, page) => {
  const cases = expectStatus(await spender.acting.get('/api/v1/cases'), 200);
  const { id } = cases.data[0];
  await go(page, '#/cases');
  await page.getByRole('link', { name: id }).click();
  await page.getByRole('button', { name: 'It cannot be told' }).click();
  await page.getByRole('button', { name: 'Close the case' }).click();
  await page.getByText('RESOLVED', { exact: true }).waitFor();
  const closed = expectStatus(await spender.acting.get(`/api/v1/cases/${id}`), 200);
  t.match(closed, { status: 'RESOLVED', resolution: 'INCONCLUSIVE' });
});

signedIn('a threshold is changed as it was typed', async (t, { spender }, page) => {
  await go(page, '#/thresholds');
  await page.getByLabel('risk_score_hard_decline').fill('0.50');
  await page.getByRole('button', { name: 'Change…' }).click();
  const question = page.getByRole('dialog');
  await question.getByRole('button', { name: 'Change' }).click();
  const refusal = await textOf(question.getByRole('alert'));
  t.match(refusal, /422 VALIDATION_ERROR/, 'below the step-up: the service says why not');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByLabel('risk_score_hard_decline').fill('0.90');
  await page.getByRole('button', { name: 'Change…' }).click();
  await question.getByRole('button', { name: 'Change' }).click();
  await question.waitFor({ state: 'detached' });
  const { overrides } = expectStatus(await spender.acting.get('/api/v1/thresholds'), 200);
  t.equal(overrides.risk_score_hard_decline, 0.9);
});

signedIn(
  'every screen can be used by everybody, wide or narrow, light or dark',
  async (t, world, page) => {
    const { spender, declined } = world;
    await newChallenge(spender);
    const cases = expectStatus(await spender.acting.get('/api/v1/cases'), 200);
    const screens = [
      '#/agents',
      `#/agents/${spender.agentId}`,
      `#/agents/${spender.agentId}/decisions?limit=2`,
      `#/decisions/${declined}`,
      `#/mandates/${spender.mandateId}`,
      '#/step-ups',
      `#/cases/${cases.data[0].id}`,
      '#/webhooks',
      `#/webhooks/${world.webhookId}`,
      '#/thresholds',
      '#/nowhere',
    ];
    for (const [index, hash] of screens.entries()) {
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
);
