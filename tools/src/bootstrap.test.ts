import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'tap';
import { rootFolder } from './folders.js';
import { newTestFolder } from './test/folder.js';

const bootstrap = new URL('../bootstrap/', import.meta.url);

/** Runs a program of the bootstrap, which is plain JavaScript: what it said where, and its code. */
async function ran(args: readonly string[]) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    said.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said.err += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
}

function script(text: string): string[] {
  return ['--input-type=module', '-e', text.replaceAll('./', bootstrap.href)];
}

/** Builds nothing, under the lock of a checkout in which a build has left this. */
function buildAfter(left: string) {
  const root = newTestFolder('lock');
  mkdirSync(join(root, '.countersign'));
  const lock = join(root, '.countersign/build.lock');
  return ran(
    script(`import { writeFileSync } from 'node:fs';
      import { exclusively } from './lock.mjs';
      writeFileSync('${lock}', (${left})(process.pid));
      await exclusively('${root}', () => console.log('built'));`),
  );
}

test('what a build left that has ended holds nobody up', async (t) => {
  t.match(await buildAfter('() => ""'), { code: 0, out: 'built\n' }, 'cut off by a crash');
  const samePid = '(pid) => JSON.stringify({ pid, startedAt: "in an earlier container" })';
  t.match(await buildAfter(samePid), { code: 0, out: 'built\n' }, 'a pid is used again');
  t.match(await buildAfter('String'), { code: 0, out: 'built\n' }, 'a pid alone names nobody');
});

test('one of several builds works at a time, also on what one has left', async (t) => {
  const root = newTestFolder('lock');
  mkdirSync(join(root, '.countersign'));
  writeFileSync(join(root, '.countersign/build.lock'), '{"pid": 0, "startedAt": "never"}');
  const build = script(`import { mkdirSync, rmdirSync } from 'node:fs';
    import { exclusively } from './lock.mjs';
    await exclusively('${root}', async () => {
      mkdirSync('${root}/working');
      await new Promise((resolve) => setImmediate(resolve));
      rmdirSync('${root}/working');
    });`);
  const builds = await Promise.all(Array.from({ length: 4 }, () => ran(build)));
  t.same(
    builds.map(({ code }) => code),
    [0, 0, 0, 0],
  );
});

/** What is left of a claim, and beside it, when the program has dealt with it. */
async function leftOf(program: string) {
  const folder = newTestFolder('claim');
  const { code, err } = await ran(
    script(`import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      import { claim, removeClaim } from './claim.mjs';
      const file = '${join(folder, 'claim')}';
      const replace = (name, does) => {
        fs[name] = does(fs[name]);
        syncBuiltinESMExports();
      };
      ${program}`),
  );
  const left = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return { code, err, left };
}

test('who removes a claim keeps that of a process that was quicker', async (t) => {
  const second = `fs.writeFileSync(file, 'first');
    replace('renameSync', (rename) => (from, to) => {
      fs.writeFileSync(from, 'second');
      rename(from, to);
    });`;
  const remove = `removeClaim(file, { text: 'first' });`;
  t.same(await leftOf(second + remove), { code: 0, err: '', left: ['second'] });
  const third = `replace('renameSync', (rename) => (from, to) => {
      rename(from, to);
      fs.writeFileSync(from, 'third');
    });`;
  t.same(await leftOf(second + third + remove), { code: 0, err: '', left: ['third'] });
});

test('a build that has ended leaves the lock of another', async (t) => {
  const root = newTestFolder('lock');
  const lock = join(root, '.countersign/build.lock');
  const build = script(`import { writeFileSync } from 'node:fs';
    import { exclusively } from './lock.mjs';
    await exclusively('${root}', () => writeFileSync('${lock}', 'of another'));`);
  t.match(await ran(build), { code: 0 });
  t.equal(readFileSync(lock, 'utf8'), 'of another');
});

test('what cannot be linked is claimed as well, by one alone', async (t) => {
  for (const code of ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']) {
    const claims = `replace('linkSync', () => () => {
        throw Object.assign(new Error('no hard links here'), { code: '${code}' });
      });
      if (claim(file, 1) !== null) throw new Error('the first has to get it');
      if (claim(file, 2)?.record !== 1) throw new Error('the second has to find the first');`;
    t.same(await leftOf(claims), { code: 0, err: '', left: ['1'] }, code);
  }
});

test('the tools are compiled anew when the bootstrap declares something else', async (t) => {
  const root = newTestFolder('checkout');
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  for (const file of ['tsconfig.base.json', 'tools/package.json', 'tools/bootstrap']) {
    cpSync(join(rootFolder, file), join(root, file), { recursive: true });
  }
  const config = JSON.parse(readFileSync(join(rootFolder, 'tools/tsconfig.json'), 'utf8'));
  write('tools/tsconfig.json', JSON.stringify({ ...config, references: [] }));
  write('tools/src/asks.ts', "export { isRunning } from '../bootstrap/process-mark.mjs';\n");
  write('node_modules/.countersign/installed', '');
  for (const name of ['typescript', '@types']) {
    symlinkSync(join(rootFolder, 'node_modules', name), join(root, 'node_modules', name));
  }
  const build = script(`import { compile } from './compile.mjs';
    await compile('${root}', ['tools']);`);
  t.match(await ran(build), { code: 0 });
  write('tools/bootstrap/process-mark.d.mts', 'export {};\n');
  t.match(await ran(build), { code: 1, err: /has no exported member 'isRunning'/ });
});

test('progress is not part of what a command prints', async (t) => {
  const { out, err } = await ran(
    script(`import { step, timed } from './step.mjs';
      step('waiting');
      await timed('compiling', async () => {});
      console.log('{}');`),
  );
  t.equal(out, '{}\n');
  t.match(err, /^- waiting\n- compiling \.\.\. .* s\n$/);
});

test('of what fails before the log is read, nothing says that it is invalid', async (t) => {
  // Nobody can take the lock of this one, which is a folder.
  const root = newTestFolder('checkout');
  mkdirSync(join(root, 'tools'));
  mkdirSync(join(root, '.countersign/build.lock/in'), { recursive: true });
  for (const part of ['bootstrap.mjs', 'bootstrap']) {
    cpSync(join(rootFolder, 'tools', part), join(root, 'tools', part), { recursive: true });
  }
  const program = join(root, 'tools/bootstrap.mjs');
  t.match(await ran([program, 'verify-log']), { code: 2 });
  t.match(await ran([program, 'migrate']), { code: 1 });
});
