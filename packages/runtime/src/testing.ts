import { randomBytes } from 'node:crypto';
import type { Environment } from '@countersign/kernel/environment';
import { Client } from 'pg';

/** Environment that the test runner provides; a test reads only what it uses. */
const variables = {
  postgres: 'TEST_POSTGRES_URL',
  redis: 'TEST_REDIS_URL',
  nats: 'TEST_NATS_URL',
} as const;

export function testUrl(kind: keyof typeof variables): string {
  const url = process.env[variables[kind]];
  if (!url) throw new Error(`${variables[kind]} is not set: run the tests with npm test`);
  return url;
}

interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A fresh, migrated database of one service, copied from the runner's template. */
export async function createTestDatabase(service: string): Promise<TestDatabase> {
  const name = `test_${service}_${randomBytes(6).toString('hex')}`;
  // STRATEGY file_copy: copying page by page through the WAL takes twice as long and writes
  // everything once more at the next checkpoint.
  const template = `countersign_tpl_${service} STRATEGY file_copy`;
  await admin(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(testUrl('postgres'));
  url.pathname = `/${name}`;
  return { url: url.toString(), drop: () => admin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** One database per environment, as a service is configured with. */
export async function createTestDatabases(
  service: string,
): Promise<{ urls: Record<Environment, string>; drop(): Promise<void> }> {
  const both = [createTestDatabase(service), createTestDatabase(service)] as const;
  const [live, sandbox] = await Promise.all(both);
  return {
    urls: { live: live.url, sandbox: sandbox.url },
    drop: async () => {
      await Promise.all([live.drop(), sandbox.drop()]);
    },
  };
}

const templateBusy = '55006';
/** Each copy waits for a checkpoint, and copies of one template for each other. */
const busyUntilMs = 60_000;

async function admin(sql: string): Promise<void> {
  const client = new Client({ connectionString: testUrl('postgres') });
  await client.connect();
  try {
    await until(
      () =>
        client.query(sql).then(
          () => true,
          (error: { code?: string }) => {
            // Another test file is copying the same template at this moment.
            if (error.code === templateBusy) return false;
            throw error;
          },
        ),
      { timeoutMs: busyUntilMs, what: sql },
    );
  } finally {
    await client.end();
  }
}

interface UntilOptions {
  timeoutMs?: number;
  what?: string;
}

/** Polls until the condition holds; fails naming it if it does not hold in time. */
export async function until<T>(
  condition: () => Promise<T> | T,
  { timeoutMs = 10_000, what = 'a condition' }: UntilOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<T, false | null | undefined>;
    if (Date.now() > deadline) throw new Error(`${what} did not come true in ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** An integer from 0 to below the bound. */
export type Random = (below: number) => number;

/**
 * A separate generator with a seed, so that a failing run can be reproduced (mulberry32, whose
 * sequences for adjacent seeds are unrelated).
 */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** A uniformly chosen item; undefined if there is none. */
export function pick<T>(random: Random, items: readonly T[]): T | undefined {
  return items[random(items.length)];
}
