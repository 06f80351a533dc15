import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { until } from '@countersign/runtime/testing';
import type { Browser, BrowserContextOptions, Locator, Page, Route } from 'playwright-core';

/** A browser at the console, and its complaints. */
export interface Visit {
  page: Page;
  /** Page errors, CSP violations, and requests to anywhere but the gateway. */
  complaints: string[];
  close(): Promise<void>;
}

/** For what hangs: a busy machine may take several times as long as one at rest. */
const deadlineMs = 30_000;

export async function visit(
  browser: Browser,
  baseUrl: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ timezoneId: 'Europe/Berlin', ...options });
  context.setDefaultTimeout(deadlineMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    // The browser also logs refused API calls, which the tests check themselves.
    if (message.type() === 'error' && !/^Failed to load resource/.test(text)) complaints.push(text);
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== baseUrl) complaints.push(`asked ${request.url()}`);
  });
  await page.goto(`${baseUrl}/console/`);
  return { page, complaints, close: () => context.close() };
}

export interface Key {
  apiKey: string;
  principalId?: string;
}

/** Resolves when the console has let them in: `go` before that would find nothing to wait for. */
export async function signIn(page: Page, key: Key): Promise<void> {
  await enterKey(page, key);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Fills in the sign-in screen and sends it, whatever the answer. */
export async function enterKey(page: Page, { apiKey, principalId = '' }: Key): Promise<void> {
  await page.getByLabel('API key').fill(apiKey);
  await page.getByLabel('Principal').fill(principalId);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Opens an address as from a link; resolves when everything has loaded. */
export async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate(follow(hash));
  await until(async () => (await page.getByText('Reading…').count()) === 0, {
    what: `all that ${hash} reads`,
  });
}

/** Resolves in the page, once the screen of the address is rendered and has begun to load. */
function follow(hash: string): string {
  return `new Promise((resolve) => {
    if (location.hash === ${JSON.stringify(hash)}) return resolve();
    const painted = () => requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
    addEventListener('hashchange', painted, { once: true });
    location.hash = ${JSON.stringify(hash)};
  })`;
}

/** Changes a response on its way to the browser, as an attacker would. */
export async function tamper(
  page: Page,
  path: string,
  change: (text: string) => string,
): Promise<void> {
  await page.route(`**/api/v1/${path}`, async (route: Route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: change(await response.text()) });
  });
}

/** Keeps the browser waiting for a response until the returned function is called. */
export async function hold(page: Page, path: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(`**/api/v1/${path}`, async (route: Route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** The text as a reader sees it, with cells and lines separated. */
export async function textOf(place: Locator): Promise<string> {
  await place.waitFor();
  return (await place.allInnerTexts()).join('\n');
}

/** The text of the screen, without the frame around it. */
export const mainText = (page: Page) => textOf(page.getByRole('main'));

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  violations: Array<{ id: string; nodes: Array<{ html: string; failureSummary: string }> }>;
}

/** Accessibility problems of the screen. */
export async function stumblingBlocks(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run({ resultTypes: ['violations'] })`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
