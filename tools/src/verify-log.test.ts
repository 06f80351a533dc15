import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { Failure } from './screen.js';
import { main } from './verify-log.js';

const program = fileURLToPath(new URL('run.js', import.meta.url));

function verifyLog(...args: string[]): Promise<string> {
  const given = ['--environment', 'live', ...args];
  // Nobody listens there: invalid arguments fail before the connection, valid ones at it.
  const env = { ...process.env, DATABASE_URL: 'postgres://127.0.0.1:1/none' };
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
  const good = ['--head', `1:${'a'.repeat(64)}`, `--head=2:${'b'.repeat(64)}`, '--key=-thumbprint'];
  t.match(await verifyLog(...good), /^2 the log could not be read: .*ECONNREFUSED/);
  t.match(await verifyLog(...good, '--head', '3'), /^2 usage: /);
  t.match(await verifyLog(...good, '--heads', '3'), /^2 .*nothing else/s);
});

test('without the ledger nothing is verified, rather than found invalid', async (t) => {
  const before = { ...process.env };
  t.teardown(() => {
    process.env = before;
  });
  process.env.DATABASE_URL = 'postgres://127.0.0.1:1/none';
  const thrown = await main(['--environment', 'live'], '/none/verify-log.js').catch((e) => e);
  t.match(thrown, { name: 'Failure', exitCode: 2, advice: /a container of the ledger/ });
});
