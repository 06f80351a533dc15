import { join } from 'node:path';
import { firstCurl, isSeeded, type Seed, type SeedTarget, seedDemo } from './demo-client.js';
import { stateFolder } from './folders.js';
import { readJson, writeSecretJson } from './json-file.js';
import { Failure, say } from './screen.js';

/**
 * The demo Client of the installation at the two URLs: from the file of an earlier seed, since
 * secrets are returned only once, or created now and stored there.
 */
export async function ensureSeed(file: string, target: SeedTarget, pauseMs = 1_000): Promise<Seed> {
  const kept = readJson<Seed>(file);
  if (kept && (await isSeeded(kept, target.baseUrl, pauseMs))) return kept;
  const seed = await seedDemo(target);
  writeSecretJson(file, seed);
  return seed;
}

/** Shown once on the user's terminal, never logged by a service. */
export function printSeed(seed: Seed, baseUrl: string, withConsole = false): void {
  const lines = [
    '',
    `  sandbox key  ${seed.sandbox.api_key}`,
    `  live key     ${seed.live.api_key}`,
    `  docs         ${baseUrl}/api/v1/docs`,
    ...(withConsole ? [`  console      ${baseUrl}/console/`] : []),
    '',
    'Try it (answers APPROVE):',
    '',
    firstCurl(seed, baseUrl),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/**
 * Seeds an installation that is already running, for example in containers. Environment:
 * INTERNAL_URL and API_URL of the gateway, ADMIN_KEY, BASE_URL as seen from outside, SEED_FILE for
 * the result.
 */
export async function main(): Promise<void> {
  const { env } = process;
  const adminKey = env.ADMIN_KEY;
  if (!adminKey) throw new Failure('ADMIN_KEY is not set.', 'Set it to the key of the gateway.');
  const api = env.API_URL || 'http://127.0.0.1:8080';
  const internalUrl = env.INTERNAL_URL || 'http://127.0.0.1:8081';
  const file = env.SEED_FILE || join(stateFolder, 'seed.json');
  const seed = await ensureSeed(file, { baseUrl: api, internalUrl, adminKey });
  say(`seeded; kept in ${file}`);
  printSeed(seed, env.BASE_URL || api);
}
