import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Environment, isEnvironment } from '@countersign/kernel/environment';
import { readDevFile } from './dev-file.js';
import { serviceFolder } from './folders.js';
import { Failure } from './screen.js';
import { locateDatabases } from './services.js';

const usage =
  'npm run verify-log -- --environment live|sandbox\n' +
  '  [--head=<entry>:<hash>]... [--key=<thumbprint>]...\n' +
  'The log must contain the given heads, and only the given keys may have signed.\n' +
  'The database is that of DATABASE_URL, LEDGER_DATABASE_URL_LIVE or _SANDBOX, a ledger\n' +
  'database on the server of POSTGRES_URL, or that of the local run.';

/** Exit code if the log could not be read, as of every failure before. */
const notRead = 2;

/** Only the ledger contains the hashing of its log. */
const ledgerProgram = join(serviceFolder('ledger'), 'dist/verify-log.js');

const inTheImage =
  'This image does not contain the ledger. In a container of the ledger:\n' +
  'DATABASE_URL=$DATABASE_URL_LIVE node services/ledger/dist/verify-log.js live';

/** Recomputes the log of one environment; the exit code is 1 if it was read and is invalid. */
export async function main(args: readonly string[], program = ledgerProgram): Promise<void> {
  const { environment = '', head, key } = readArguments(args);
  if (!isEnvironment(environment)) throw new Failure('It takes an environment.', usage);
  const url = process.env.DATABASE_URL || ledgerDatabase(environment);
  if (!url) throw new Failure('No database is named.', usage);
  // Node exits with 1 if it finds no program, which would say that the log is invalid.
  if (!existsSync(program)) throw new Failure('The log was not read.', inTheImage);
  const kept = [...option('--head', head), ...option('--key', key)];
  const child = spawn(process.execPath, [program, environment, ...kept], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: 'inherit',
  });
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? notRead));
  });
}

interface Arguments {
  environment?: string | undefined;
  head?: string[] | undefined;
  key?: string[] | undefined;
}

/** A URL is not accepted as an argument, because process listings would reveal its password. */
function readArguments(args: readonly string[]): Arguments {
  const texts = { type: 'string', multiple: true } as const;
  const options = { environment: { type: 'string' }, head: texts, key: texts } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch {
    // The argument may be a URL with a password, so it is not repeated.
    throw new Failure('It takes an environment, heads and keys, and nothing else.', usage);
  }
}

/** With `=`, because a thumbprint may begin with a hyphen. */
function option(name: string, values: readonly string[] = []): string[] {
  return values.map((value) => `${name}=${value}`);
}

function ledgerDatabase(environment: Environment): string | undefined {
  const serverUrl = process.env.POSTGRES_URL || readDevFile()?.backing.postgres.url || null;
  const { located } = locateDatabases(['ledger'], { env: process.env, serverUrl });
  return located.find((database) => database.environment === environment)?.url;
}
