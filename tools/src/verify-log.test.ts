import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Test, test } from 'tap';
import { Failure } from './screen.js';
import { main } from './verify-log.js';

const program = fileURLToPath(new URL('run.js', import.meta.url));

function verifyLog(given: string[], more: Record<string, string> = {}): Promise<string> {
  // Nobody listens there: invalid arguments fail before the connection, valid ones at it.
  const env = { ...process.env, DATABASE_URL: 'postgres://127.0.0.1:1/none', ...more };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'verify-log', ...given], { env }, (error, out, err) => {
      resolve(`${error?.code ?? 0} ${out}${err}`);
    });
  });
}

test('a database is named where no list of processes shows its password', async (t) => {
  const url = 'postgres://somebody:pass-word@127.0.0.1:1/ledger';
  for (const given of [['--database-url', url], [`--database-url=${url}`], [url]]) {
    const thrown = await main(['--environment', 'live', ...given]).catch((error: unknown) => error);
    t.ok(thrown instanceof Failure, 'it is refused');
    t.notMatch(String(thrown), /pass-word/, 'and not repeated');
  }
});

test('what is to be compared reaches the ledger whole, or nothing is verified', async (t) => {
  const kept = ['--head', `1:${'a'.repeat(64)}`, `--head=2:${'b'.repeat(64)}`, '--key=-thumbprint'];
  const good = ['--environment', 'live', ...kept];
  t.match(await verifyLog(good), /^2 the log could not be read: .*ECONNREFUSED/);
  t.match(await verifyLog([...good, '--head', '3']), /^2 usage: /);
  t.match(await verifyLog([...good, '--heads', '3']), /^2 .*nothing else/s);
});

test('of what fails before the log is read, nothing says that it is invalid', async (t) => {
  t.match(await verifyLog([]), /^2 .*takes an environment/s);
  t.match(await verifyLog(['--environment', 'test']), /^2 .*takes an environment/s);
  const noUrl = { DATABASE_URL: '', POSTGRES_URL: 'foo' };
  t.match(await verifyLog(['--environment', 'live'], noUrl), /^2 .*Invalid URL/s);
});

/** Stands in for the program of the ledger: writes down how it was called, and finds a fault. */
const standIn = `
  import { writeFileSync } from 'node:fs';
  const told = { url: process.env.DATABASE_URL, args: process.argv.slice(2) };
  writeFileSync(new URL('told.json', import.meta.url), JSON.stringify(told));
  if (told.args.includes('--key=killed')) process.kill(process.pid, 'SIGKILL');
  process.exitCode = 1;`;

/** What the ledger's program is told, and with what the command then ends. */
async function toldBy(t: Test, args: string[], env: Record<string, string> = {}) {
  const before = { ...process.env };
  const folder = t.testdir({ 'verify.mjs': standIn });
  const urls = { LEDGER_DATABASE_URL_LIVE: 'of live', LEDGER_DATABASE_URL_SANDBOX: 'of sandbox' };
  Object.assign(process.env, { DATABASE_URL: '', ...urls, ...env });
  try {
    await main(args, join(folder, 'verify.mjs'));
    const told = JSON.parse(readFileSync(join(folder, 'told.json'), 'utf8'));
    return { ...told, code: process.exitCode };
  } finally {
    process.exitCode = 0;
    process.env = before;
  }
}

test('the log of the environment that is named is verified, in its own database', async (t) => {
  for (const environment of ['live', 'sandbox']) {
    const given = ['--environment', environment, '--key', 'one', '--head', '1:ab', '--key', 'two'];
    const args = [environment, '--head=1:ab', '--key=one', '--key=two'];
    t.same(await toldBy(t, given), { url: `of ${environment}`, args, code: 1 });
  }
  const elsewhere = { DATABASE_URL: 'of a copy' };
  t.match(await toldBy(t, ['--environment', 'live'], elsewhere), { url: 'of a copy' });
  for (const args of [['--environment', 'test'], []]) {
    await t.rejects(toldBy(t, args), { name: 'Failure' });
  }
});

test('a verification that was ended has found nothing', async (t) => {
  t.match(await toldBy(t, ['--environment', 'live', '--key=killed']), { code: 2 });
});

test('without the ledger nothing is verified, rather than found invalid', async (t) => {
  const before = { ...process.env };
  t.teardown(() => {
    process.env = before;
  });
  process.env.DATABASE_URL = 'postgres://127.0.0.1:1/none';
  const thrown = await main(['--environment', 'live'], '/none/verify-log.js').catch((e) => e);
  t.match(thrown, { name: 'Failure', advice: /a container of the ledger/ });
});
