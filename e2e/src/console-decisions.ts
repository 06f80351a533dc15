import type { SignedInScenarios } from './console-scenario.js';
import { go, hold, mainText, signIn, stumblingBlocks, tamper, textOf } from './console-visit.js';
import { pay } from './console-world.js';
import { expectStatus, newSpender } from './tenant.js';

/** One decision, explained and compared with its signature. */
export const decisions: SignedInScenarios = {
  'a declined payment is explained': async (t, { declined, spender }, page) => {
    await go(page, `#/agents/${spender.agentId}/decisions`);
    t.match(await mainText(page), /DECLINE\s+1200\.50 USD\s+Lucky Casino/, 'with all its decimals');
    await page.getByRole('link', { name: declined }).click();
    await page.getByText('Valid.', { exact: true }).waitFor();
    const text = await mainText(page);
    t.match(text, 'The amount exceeds the limit for one transaction.');
    t.match(text, /The agent was told: .*1200\.50/);
    t.match(text, /1200\.50\s+at most 1000\.00/, 'what it was and what it had to be');
    t.match(text, /per payment\s+1000\.00 USD/, 'the limit of that time');
    t.match(
      text,
      /Used before.*day [\d-]{10}\s+\d+\.00 USD\s+[\d.]+ USD/s,
      'and what was used of it',
    );
    t.match(text, spender.mandateId);
    t.match(text, /allowed countries\s+not restricted/);
    t.match(text, /max monthly amount\s+no limit/);
    t.match(text, /re-evaluated\s+by rules-\d+: same decision/);
    t.match(text, 'its hash matches: the merchant name and what the agent stated');
    t.match(text, 'Not signed, and not verified here: what the agent was told');
    const [, here, there] =
      /decided\s+[\d-]+ (\d\d):[\d:]+\s(?:[\d-]+ )?(\d\d):[\d:]+ UTC/.exec(text) ?? [];
    t.match(
      (24 + Number(here) - Number(there)) % 24,
      /^[12]$/,
      'by the clock of Berlin and by UTC',
    );
  },

  'an attestation that was tampered with is invalid': async (t, { approved }, page) => {
    await tamper(page, `authorize/log/${approved}`, (text) =>
      text.replace(
        /("jws":"[^.]+\.)(.)/,
        (_all, head, first) => head + (first === 'e' ? 'f' : 'e'),
      ),
    );
    await go(page, `#/decisions/${approved}`);
    t.match(await textOf(page.getByRole('alert')), /^Invalid\./);
  },

  'what is shown otherwise than signed is named': async (t, { approved }, page) => {
    await tamper(page, `authorize/log/${approved}`, (text) => text.replace('"10.50"', '"1.50"'));
    await go(page, `#/decisions/${approved}`);
    t.match(await textOf(page.getByRole('alert')), /^Does not match the signature\..*: amount\.$/s);
  },

  'facts that were changed behind it are named': async (t, { declined }, page) => {
    const explain = `authorize/log/${declined}/explain`;
    await tamper(page, explain, (text) => text.replace('"amount":"1200.5', '"amount":"200.5'));
    await go(page, `#/decisions/${declined}`);
    t.match(await textOf(page.getByRole('alert')), /^Does not match .*: amount of the facts\.$/s);
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
    t.match(await mainText(page), /merchant\s+name.* are not verified/s);
  },

  'what other rules judge today is no alarm, and facts that were changed are': async (
    t,
    { approved },
    page,
  ) => {
    const explain = `authorize/log/${approved}/explain`;
    const anew = '"facts_intact":true,"reproduced":true,"reason_codes":[]';
    const answered = (text: string, otherwise: string) => {
      if (!text.includes(anew)) throw new Error(`no ${anew} in ${text.slice(0, 500)}`);
      return text.replace(anew, otherwise);
    };
    const differently = '"facts_intact":true,"reproduced":false,"reason_codes":["MCC_BLOCKED"]';
    await tamper(page, explain, (text) => answered(text, differently));
    await go(page, `#/decisions/${approved}`);
    t.match(
      await textOf(page.getByRole('alert')),
      /^The same rules give another result\..* none\./,
    );
    await page.unrouteAll();
    await go(page, '#/agents');
    await tamper(page, explain, (text) =>
      answered(text.replace('"policy_hash":"sha256:', '"policy_hash":"sha256:0'), differently),
    );
    await go(page, `#/decisions/${approved}`);
    await page.getByText('Valid.', { exact: true }).waitFor();
    t.match(await mainText(page), /The rules have changed since\..* MCC_BLOCKED; .* none\./);
    t.match(await mainText(page), /Evaluated today: \d+ rules/);
    t.equal(await page.getByRole('alert').count(), 0, 'a release is no alarm');
    t.same(await stumblingBlocks(page), []);
    await page.unrouteAll();
    await tamper(page, explain, (text) =>
      answered(text, '"facts_intact":false,"reproduced":false,"reason_codes":[]'),
    );
    await go(page, '#/agents');
    await go(page, `#/decisions/${approved}`);
    t.match(await textOf(page.getByRole('alert')), /^The facts were changed\./);
    await page.unrouteAll();
    await go(page, '#/agents');
    await go(page, `#/decisions/${approved}`);
    t.notMatch(await mainText(page), /The (rules|facts) (have|were) changed/);
  },

  'an explanation that cannot be loaded is told once, and what it takes along': async (
    t,
    { declined },
    page,
  ) => {
    await page.route('**/api/v1/authorize/log/*/explain', (route) =>
      route.fulfill({
        status: 503,
        json: { error: { code: 'SERVICE_UNAVAILABLE', message: 'Try again later.' } },
      }),
    );
    await go(page, `#/decisions/${declined}`);
    await page.getByText('Valid.', { exact: true }).waitFor();
    const problem = /^Try again later\.\s+503 SERVICE_UNAVAILABLE\s+Try again$/;
    t.match(await textOf(page.getByRole('alert')), problem);
    const text = await mainText(page);
    t.match(text, 'does not show the recorded facts, the limits');
    t.match(text, 'The amount exceeds the limit for one transaction.', 'which needs none');
    const limits = page.getByRole('heading', { name: 'Limits at that time' });
    t.equal(await limits.count(), 0);
    t.same(await stumblingBlocks(page), []);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await limits.waitFor();
    await page.locator('h1:focus').waitFor();
  },

  'what was used of the limits is shown only as far as it is known': async (t, world, page) => {
    const { declined, approved } = world;
    await tamper(page, `authorize/log/${declined}/explain`, (text) =>
      text.replace(/"counters":\{[^}]*\}/, '"counters":null'),
    );
    await go(page, `#/decisions/${declined}`);
    const limits = page.getByRole('region', { name: 'Limits at that time' });
    t.match(await textOf(limits), /10000\.00 USD\s+–\s+–/, 'a fail-safe answer only says 0');
    t.match(await textOf(limits), 'what was used is not on record');
    await tamper(page, `authorize/log/${approved}/explain`, (text) =>
      text.replace('"decision":"APPROVE"', '"decision":"STEP_UP"'),
    );
    await go(page, `#/decisions/${approved}`);
    t.match(await textOf(limits), /Used before.*As of the challenge\./s, 'not of the confirmation');
  },

  'the payments that were counted are shown beside what they came to': async (t, world, page) => {
    const { stack, tenant, key } = world;
    const spender = await newSpender(stack, tenant);
    const granted = await spender.acting.post('/api/v1/mandates', {
      agent_id: spender.agentId,
      valid_until: new Date(Date.now() + 86_400_000).toISOString(),
      max_amount_per_transaction: '50.00',
      max_daily_amount: '500.00',
      max_daily_count: 2,
    });
    expectStatus(granted, 201);
    await pay(spender);
    const { authorization_id: second } = await pay(spender);
    const { authorization_id: third } = await pay(spender);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, { ...key, principalId: spender.principalId });
    const limits = page.getByRole('region', { name: 'Limits at that time' });
    await go(page, `#/decisions/${second}`);
    t.match(await textOf(limits), /Used with it.*day [\d-]{10}\s+2 payments\s+2 payments/s);
    await go(page, `#/decisions/${third}`);
    t.match(await textOf(limits), /Used before.*day [\d-]{10}\s+2 payments\s+2 payments/s);
    t.match(await textOf(limits), /month [\d-]{7}\s+no limit\s+2 payments/);
    t.same(await stumblingBlocks(page), []);
  },

  'a reason that is no longer published is shown all the same': async (t, { declined }, page) => {
    await tamper(page, 'reason-codes', (text) =>
      text.replaceAll('"AMOUNT_EXCEEDS_PER_TXN"', '"OF_ANOTHER_RELEASE"'),
    );
    await go(page, `#/decisions/${declined}`);
    t.match(await mainText(page), /AMOUNT_EXCEEDS_PER_TXN\s+The service no longer documents/);
  },

  'a transfer shows who receives it, also before a human confirms it': async (t, world, page) => {
    const spender = await newSpender(world.stack, world.tenant);
    const granted = await spender.acting.post('/api/v1/mandates', {
      agent_id: spender.agentId,
      max_amount_per_transaction: '1000.00',
      allowed_chains: ['base'],
      valid_until: '2029-01-01T00:00:00.000Z',
    });
    expectStatus(granted, 201);
    const counterparty = `0x${'b'.repeat(40)}`;
    const crypto = { chain: 'base', asset: 'USDC', counterparty, value: '666.02' };
    const sent = { amount: '666.02', rail: 'CRYPTO', crypto, merchant_name: undefined };
    const { authorization_id: id } = await pay(spender, sent);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, { ...world.key, principalId: spender.principalId });
    await go(page, '#/step-ups');
    const row = page.getByRole('row').filter({ hasText: id });
    const explain = `authorize/log/${id}/explain`;
    const release = await hold(page, explain);
    await page.route(`**/api/v1/${explain}`, (route) => route.abort(), { times: 1 });
    await row.getByRole('button', { name: 'Confirm' }).click();
    const confirm = page.getByRole('button', { name: 'Confirm payment' });
    const again = page.getByRole('dialog').getByRole('button', { name: 'Try again' });
    await again.waitFor();
    t.ok(await confirm.isDisabled(), 'as long as the receiver is not shown');
    await again.click();
    await again.waitFor({ state: 'detached' });
    t.ok(await confirm.isDisabled());
    release();
    const address = new RegExp(
      `to address\\s+${counterparty}\\s+value\\s+666\\.02\\s+asset\\s+USDC`,
    );
    await page.getByRole('dialog').getByText(counterparty).waitFor();
    t.match(await textOf(page.getByRole('dialog')), address);
    await confirm.click({ trial: true });
    t.same(await stumblingBlocks(page), []);
    await page.keyboard.press('Escape');
    await go(page, `#/decisions/${id}`);
    t.match(await mainText(page), address);
    t.match(await mainText(page), 'No chain is observed in this environment');
    t.equal(await page.getByRole('alert').count(), 0, 'which is no fault');
  },

  'a key that is not published is said to be unknown': async (t, { approved }, page) => {
    await tamper(page, '.well-known/jwks.json', () => '{"keys":[]}');
    await go(page, `#/decisions/${approved}`);
    t.match(await textOf(page.getByRole('alert')), /^Key unknown\./);
  },
};
