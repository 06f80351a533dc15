import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@countersign/runtime/testing';
import { type Stack, startStack } from '@countersign/tools/stack';
import type { Browser } from 'playwright-core';
import { chromiumHere, launched } from './chromium.js';
import type { Key } from './console-visit.js';
import { patience } from './patience.js';
import {
  expectStatus,
  newSpender,
  newTenant,
  operator,
  paymentBody,
  type Spender,
  type Tenant,
} from './tenant.js';

/** An installation with a console, an agent with a history, and a browser. */
export interface ConsoleWorld {
  browser: Browser;
  stack: Stack;
  tenant: Tenant;
  spender: Spender;
  key: Key;
  /** A live key, with no data yet. */
  liveKey: Key;
  /** A payment above the limit, at a blocked merchant. */
  declined: string;
  approved: string;
  /** A webhook whose deliveries all fail. */
  webhookId: string;
  stop(): Promise<void>;
}

/** Nothing listens on this port. */
const deafHost = '127.0.0.1:9';
const deafHook = { url: `http://${deafHost}/hook`, event_types: ['authorization.decline'] };

/** The world, or why there is none: no browser is available and none is required. */
export async function openWorld(): Promise<ConsoleWorld | string> {
  const folder = await mkdtemp(join(process.env.TEST_STATE_FOLDER ?? tmpdir(), 'chromium-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = chromiumHere(folder);
  if (!path) {
    await remove();
    return unless('no Chromium: install one, or name it in CHROMIUM_PATH');
  }
  const [found, stack] = await Promise.all([launched(path), startStack({ env, seed: false })]);
  const stop = async (): Promise<void> => {
    await found.browser?.close();
    await stack.stop();
    await remove();
  };
  if (!found.browser) {
    await stop();
    return unless(found.why);
  }
  return { browser: found.browser, stack, ...(await past(stack)), stop };
}

const env = {
  ...patience,
  RATE_LIMIT_MULTIPLIER: '0',
  WEBHOOK_ALLOWED_HOSTS: deafHost,
  CONSOLE: 'on',
};

/** Without a browser the console tests are skipped, unless one is required. */
function unless(why: string): string {
  if (process.env.BROWSER_TESTS === 'required') throw new Error(why);
  return why;
}

async function past(stack: Stack) {
  const tenant = await newTenant(stack, 'sandbox', { fraud_triage_enabled: true });
  const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '1000.00' });
  const live = await newTenant(stack, 'live');
  await newSpender(stack, live);
  const webhookId = await newWebhook(spender);
  const asked = async (extra: Record<string, unknown>): Promise<string> =>
    (await pay(spender, extra)).authorization_id;
  const approved = await asked({ amount: '10.50' });
  const declined = await asked({ amount: '1200.50', merchant_name: 'Lucky Casino' });
  await asked({ amount: '666.01' });
  await until(async () => (await casesOf(spender)) > 0, { what: 'the case of what was suspected' });
  const { apiKey } = tenant;
  const key = { apiKey, principalId: spender.principalId };
  return { tenant, spender, key, liveKey: { apiKey: live.apiKey }, approved, declined, webhookId };
}

/** Its deliveries all fail, after several attempts. */
export async function newWebhook({ acting }: Spender): Promise<string> {
  return expectStatus(await acting.post('/api/v1/webhooks', deafHook), 201).webhook.id;
}

async function casesOf({ acting }: Spender): Promise<number> {
  return expectStatus(await acting.get('/api/v1/cases'), 200).data.length;
}

/** Another key of the Client for this spender, with functions to change it later. */
export async function newKey(
  { stack, tenant, spender: first }: ConsoleWorld,
  { spender = first, ...terms }: { spender?: Spender; scopes?: string; access?: string } = {},
) {
  const admin = operator(stack);
  const issue = `/internal/v1/clients/${tenant.clientId}/credentials`;
  const given = { environment: 'sandbox', kind: 'api_key', ...terms };
  const { id, api_key: apiKey } = expectStatus(await admin.post(issue, given), 201);
  const path = `/internal/v1/credentials/${id}`;
  const change = async (body: Record<string, unknown>) =>
    expectStatus(await admin.call('PATCH', path, { body }), 200);
  return {
    key: { apiKey, principalId: spender.principalId },
    revoke: async () => expectStatus(await admin.post(`${path}/revoke`), 200),
    narrow: (narrower: string) => change({ scopes: narrower }),
    admit: (addresses: readonly string[]) => change({ ip_allowlist: addresses }),
  };
}

/** The response to a payment of the spender. */
export async function pay({ acting, agentId }: Spender, extra: Record<string, unknown> = {}) {
  return expectStatus(await acting.post('/api/v1/authorize', paymentBody(agentId, extra)), 200);
}

/** In the sandbox, 666.02 is the amount that requires a human. */
export async function newChallenge(spender: Spender): Promise<string> {
  const { decision, authorization_id: id } = await pay(spender, { amount: '666.02' });
  if (decision !== 'STEP_UP') throw new Error(`expected a STEP_UP, got ${decision}`);
  return id;
}
