/** The published packages as npm packs them: complete, and without anything unneeded. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';

interface Manifest {
  name: string;
  version: string;
  license: string;
  private?: boolean;
  bin?: Record<string, string>;
  exports?: { '.': { types: string; default: string } };
  dependencies: Record<string, string>;
}

interface Packed {
  filename: string;
  files: Array<{ path: string }>;
}

const packages = readdirSync('packages')
  .map((name) => `packages/${name}`)
  .filter((folder) => !manifestOf(folder).private);

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
}

/** Packs the build output; a script that builds it would write into npm's output. */
function pack(folder: string, ...options: string[]): Packed {
  const asked = ['pack', '--json', '--ignore-scripts', ...options, `./${folder}`];
  const said = execFileSync('npm', asked, { stdio: ['ignore', 'pipe', 'ignore'], timeout: 60_000 });
  const [packed] = JSON.parse(said.toString()) as Packed[];
  if (!packed) throw new Error(`npm packed nothing of ${folder}`);
  return packed;
}

test('the client and the MCP server are what is published', (t) => {
  t.same(packages, ['packages/mcp', 'packages/sdk']);
  t.end();
});

for (const folder of packages) {
  const { name, license, bin, exports, dependencies } = manifestOf(folder);

  test(`${name} is packed whole, and without what tests it`, (t) => {
    const paths = pack(folder, '--dry-run').files.map(({ path }) => path);
    const entries = [exports?.['.'].types, exports?.['.'].default, ...Object.values(bin ?? {})];
    const given = entries.flatMap((path) => (path === undefined ? [] : [path.replace('./', '')]));
    const needed = ['LICENSE', 'README.md', 'package.json', ...given];
    for (const path of needed) t.ok(paths.includes(path), path);
    for (const path of paths.filter((each) => each.endsWith('.js'))) {
      t.ok(paths.includes(path.replace(/js$/, 'd.ts')), `${path} has types`);
    }
    const strays = paths.filter(
      (path) => !needed.includes(path) && !/^dist\/[\w/-]+\.(js|d\.ts)$/.test(path),
    );
    t.same(strays, [], 'no sources, tests, maps or build information');
    t.same(
      paths.filter((path) => /(^|\/)(src|test)\/|\.test\./.test(path)),
      [],
    );
    t.end();
  });

  test(`${name} is under the licence that it says, which it carries`, (t) => {
    t.equal(license, 'Apache-2.0');
    t.equal(readFileSync(`${folder}/LICENSE`, 'utf8'), readFileSync('LICENSE', 'utf8'));
    t.end();
  });

  test(`${name} leads its readers and installers nowhere else than it says`, (t) => {
    const readme = readFileSync(`${folder}/README.md`, 'utf8');
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
    t.same(
      links.filter((target) => !/^(#|https:\/\/)/.test(target)),
      [],
      'a path means nothing on the page of a registry',
    );
    t.match(readme, `npm install ${name}`);
    const ours = Object.entries(dependencies).filter(([each]) => each.startsWith('@countersign/'));
    for (const [dependency, version] of ours) {
      const other = packages.map(manifestOf).find((each) => each.name === dependency);
      t.equal(other?.version, version, `${dependency} is published, in this version`);
    }
    t.end();
  });
}

test('the console hands on the licences of what is in its bundle', (t) => {
  const site = 'packages/console/dist/site';
  const bundle = readdirSync(site).find((name) => /^console-.*\.js$/.test(name)) ?? '';
  const text = readFileSync(join(site, bundle), 'utf8');
  for (const holder of ['Jason Miller', 'Filip Skokan']) t.match(text, holder);
  t.equal(text.split('Permission is hereby granted').length, 3);
  t.end();
});

/** Unpacked as a consumer would install them; their dependencies are found in parent folders. */
function installed(): string {
  mkdirSync('dist', { recursive: true });
  const home = mkdtempSync('dist/consumer-');
  for (const folder of packages) {
    const { filename } = pack(folder, '--pack-destination', home);
    const into = join(home, 'node_modules', manifestOf(folder).name);
    mkdirSync(into, { recursive: true });
    execFileSync('tar', ['-xzf', join(home, filename), '-C', into, '--strip-components=1']);
  }
  return home;
}

function quickStart(): string {
  const readme = readFileSync('packages/sdk/README.md', 'utf8');
  return /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
}

test('what was packed runs, and its quick start compiles under strict types', (t) => {
  const home = installed();
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  const source = quickStart();
  t.match(source, /new Countersign\(/);
  writeFileSync(join(home, 'package.json'), '{"type": "module"}');
  writeFileSync(join(home, 'quick-start.ts'), source);
  const strictly = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--module', 'nodenext'];
  const more = ['--target', 'es2023', '--types', 'node', join(home, 'quick-start.ts')];
  const compiled = run([join('node_modules', 'typescript', 'bin', 'tsc'), ...strictly, ...more]);
  t.match(compiled, { status: 0, said: '' });
  const main = join(home, 'node_modules', '@countersign', 'mcp', 'dist', 'main.js');
  t.match(run([main]), { status: 1, said: /COUNTERSIGN_AGENT_ID is not set/ });
  t.end();
});

function run(program: string[]): { status: number | null; said: string } {
  try {
    const options = { stdio: 'pipe', env: { PATH: process.env.PATH }, timeout: 120_000 } as const;
    return { status: 0, said: execFileSync(process.execPath, program, options).toString() };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: Buffer; stderr: Buffer };
    return { status, said: `${stdout}${stderr}` };
  }
}
