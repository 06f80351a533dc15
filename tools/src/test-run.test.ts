import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'tap';
import { rootFolder } from './folders.js';

/** Runs the command with tests that need no servers. */
function run(...words: string[]) {
  const program = join(rootFolder, 'tools/dist/run.js');
  return spawn(process.execPath, [program, 'test', 'packages/kernel', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

test('a run that is ended half way has not passed', async (t) => {
  const child = run();
  child.stdout.once('data', () => child.kill('SIGTERM'));
  const [code] = await once(child, 'exit');
  t.equal(code, 1);
});

test('a run of nothing, because nothing has the name, has not passed', async (t) => {
  const child = run('unheard-of');
  const said = once(child.stderr, 'data');
  const [code] = await once(child, 'exit');
  t.equal(code, 1);
  t.match(String(await said), 'no file of tests with unheard-of');
});
