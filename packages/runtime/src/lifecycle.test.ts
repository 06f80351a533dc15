import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'tap';

const asModule = ['--input-type=module', '--eval'];

/** A process with this start, whose timers are a thousand times as fast; it tells its notice. */
function run(start: string, noticeMs = 0) {
  const script = `
    const { setTimeout: real } = globalThis;
    globalThis.setTimeout = (then, ms, ...rest) => {
      if (ms > 0 && ms === ${noticeMs}) console.log('notice');
      return real(then, ms / 1_000, ...rest);
    };
    const { createLog } = await import('${new URL('./log.js', import.meta.url).href}');
    const { runProcess } = await import('${new URL('./lifecycle.js', import.meta.url).href}');
    const log = createLog({ service: 'test', level: 'silent' });
    setInterval(() => {}, 1_000);
    await runProcess({ log, noticeMs: ${noticeMs}, start: async (lifecycle) => { ${start} } });
    console.log('started');`;
  return spawn(process.execPath, [...asModule, script], { stdio: ['ignore', 'pipe', 'inherit'] });
}

const stuck = `lifecycle.onShutdown('stuck', () => new Promise(() => {}));`;

test('a process that was told to end has succeeded, whatever keeps it alive', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const child = run('');
    await once(child.stdout, 'data');
    child.kill(signal);
    t.same(await once(child, 'exit'), [0, null], signal);
  }
});

test('a second signal ends it at once, whichever it is', async (t) => {
  for (const second of ['SIGTERM', 'SIGINT'] as const) {
    const child = run('', 20_000_000);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    await once(child.stdout, 'data');
    child.kill(second);
    t.same(await once(child, 'exit'), [null, second]);
  }
});

test('one with a part that does not close ends nevertheless, and says so', async (t) => {
  const child = run(stuck);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  t.same(await once(child, 'exit'), [1, null]);
});

test('one that cannot start has failed at once, and closes what it had opened', async (t) => {
  const start = `
    lifecycle.onShutdown('store', () => console.log('closed'));
    throw new Error('no database');`;
  const child = run(start, 1_000);
  const output: string[] = [];
  child.stdout.on('data', (chunk) => output.push(String(chunk)));
  t.same(await once(child, 'close'), [1, null]);
  t.match(output.join(''), 'closed');
  t.notMatch(output.join(''), 'notice');
});

test('one that is not up yet ends at a signal, also as the first of a container', async (t) => {
  const early = `--import=${new URL('./early-signals.js', import.meta.url).href}`;
  const loading = "console.log('loading'); setInterval(() => {}, 1_000);";
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    const child = spawn(process.execPath, [early, '--eval', loading]);
    await once(child.stdout, 'data');
    child.kill(signal);
    t.same(await once(child, 'exit'), [code, null], 'by itself: such a process is not killed');
  }
  const listening = `process.on('SIGTERM', () => setImmediate(() => process.exit(7))); ${loading}`;
  const child = spawn(process.execPath, [early, '--eval', listening]);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  t.same(await once(child, 'exit'), [7, null], 'one that is up ends in its own way');
});
