import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, hashStats, isFresh, setFresh } from './fingerprint.mjs';
import { run, timed } from './step.mjs';
import { withReferences, workspaces } from './workspaces.mjs';

/** The root itself, which is not a workspace: tests of code style and deployment. */
const rootFolder = '.';

/** Compiles the folders and their references; null compiles everything. */
export async function compile(root, folders) {
  const wanted = folders ? withReferences(root, folders) : [...workspaces(root), rootFolder];
  const buildable = wanted.filter((folder) => sources(root, folder).length > 0);
  // Taken before the compiler reads, so that a file saved meanwhile is compiled the next time.
  const states = buildable.map((folder) => state(root, folder));
  const stale = states.filter(({ stamp, fingerprint }) => !isFresh(stamp, fingerprint));
  if (stale.length === 0) return;
  for (const { folder } of stale) forgetTime(join(root, folder, 'dist/.tsbuildinfo'));
  await timed(`compiling ${stale.map(({ folder }) => folder).join(', ')}`, async () => {
    const [shared, ...lanes] = inLanes(root, buildable);
    await runCompiler(root, shared);
    await Promise.all(lanes.map((lane) => runCompiler(root, lane)));
  });
  for (const { stamp, fingerprint } of stale) setFresh(stamp, fingerprint);
}

async function runCompiler(root, folders) {
  if (folders.length === 0) return;
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const todo = 'Correct the errors above and run the command again.';
  await run(process.execPath, [tsc, '-b', ...folders.map(project)], { cwd: root, todo });
}

/**
 * Shared references first, then the rest in two processes, since the compiler uses one core only.
 */
function inLanes(root, folders) {
  const referred = new Set(
    folders.flatMap((folder) => withReferences(root, [folder]).filter((each) => each !== folder)),
  );
  const lanes = [[], []];
  const sizes = [0, 0];
  const size = (folder) => sources(root, folder).length;
  const rest = folders.filter((folder) => !referred.has(folder));
  for (const folder of rest.sort((a, b) => size(b) - size(a))) {
    const lane = sizes[0] <= sizes[1] ? 0 : 1;
    lanes[lane].push(folder);
    sizes[lane] += size(folder);
  }
  return [folders.filter((folder) => referred.has(folder)), ...lanes];
}

function project(folder) {
  return folder === rootFolder ? 'tsconfig.tidy.json' : join(folder, 'tsconfig.json');
}

function sources(root, folder) {
  if (!existsSync(join(root, project(folder)))) return [];
  if (folder === rootFolder) {
    const tests = readdirSync(root).filter((name) => name.endsWith('.test.ts'));
    return [...tests.map((name) => join(root, name)), ...filesBelow(join(root, 'tidy'))];
  }
  // The tools compile against what the bootstrap, which is plain JavaScript, declares.
  const bootstrap = filesBelow(join(root, folder, 'bootstrap'));
  const declared = bootstrap.filter((name) => name.endsWith('.d.mts'));
  return [...filesBelow(join(root, folder, 'src')), ...declared];
}

/**
 * The compiler considers a source that is older than its last build as built, even one saved while
 * that build was running. With an old timestamp on the build it compares contents instead.
 */
function forgetTime(buildInfo) {
  if (existsSync(buildInfo)) utimesSync(buildInfo, 1, 1);
}

/**
 * Asking the compiler whether anything changed takes a second; comparing the timestamps of the
 * sources, its own and those of its references, takes milliseconds. The stamp lies in dist, so that
 * removing dist removes it.
 */
function state(root, folder) {
  const inputs = withReferences(root, [folder]).flatMap((each) => [
    ...sources(root, each),
    join(root, project(each)),
    join(root, each, 'package.json'),
  ]);
  inputs.push(join(root, 'tsconfig.base.json'), join(root, 'node_modules/.countersign/installed'));
  const stamp = join(root, folder, 'dist/.built');
  return { folder, stamp, fingerprint: hashStats(inputs) };
}
