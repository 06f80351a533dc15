import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { timed } from '../screen.js';
import { postgresFolders } from './program.js';
import type { ServerHome } from './server-home.js';

const run = promisify(execFile);
const deadlineMs = 300_000;
const outputBytes = 32 * 1024 * 1024;

/** A package with its dependencies, unpacked into its own folder without installing anything. */
export interface Unpacked {
  folders: string[];
  env: Record<string, string>;
}

/** Null if the system is not Debian, or its packages are unavailable. */
export async function unpackDebianPackage(
  name: string,
  home: ServerHome,
): Promise<Unpacked | null> {
  const base = join(home.folder, 'packages', name);
  const done = join(base, '.done');
  try {
    if (!existsSync(done)) {
      await run('dpkg', ['--version']);
      await timed(`unpacked ${name} of the distribution into ${base}, without installing it`, () =>
        unpack(name, base),
      );
      writeFileSync(done, '');
    }
    return describe(base);
  } catch {
    return null;
  }
}

function describe(base: string): Unpacked {
  const usr = join(base, 'usr');
  return {
    folders: [join(usr, 'bin'), join(usr, 'sbin'), ...postgresFolders(usr)],
    env: { LD_LIBRARY_PATH: libraryFolders(base).join(':') },
  };
}

async function unpack(name: string, base: string): Promise<void> {
  const downloads = `${base}.downloads`;
  rmSync(downloads, { recursive: true, force: true });
  mkdirSync(downloads, { recursive: true });
  mkdirSync(base, { recursive: true });
  try {
    await download(name, downloads, []);
  } catch {
    // The package lists are missing or outdated, and only root may update the system's, so a
    // private copy is used.
    const own = ownLists(`${base}.lists`);
    await apt('apt-get', [...own, 'update'], downloads);
    await download(name, downloads, own);
  }
  for (const file of readdirSync(downloads).filter((each) => each.endsWith('.deb'))) {
    await run('dpkg', ['-x', join(downloads, file), base], { timeout: deadlineMs });
  }
  for (const each of [downloads, `${base}.lists`]) rmSync(each, { recursive: true, force: true });
}

function ownLists(folder: string): string[] {
  mkdirSync(join(folder, 'partial'), { recursive: true });
  return ['-o', `Dir::State::Lists=${folder}`, '-o', `Dir::Cache=${folder}/cache`];
}

async function download(name: string, folder: string, options: string[]): Promise<void> {
  const wanted = await wantedPackages(name, options);
  await apt('apt-get', [...options, 'download', ...wanted], folder);
}

/** Packages needed to install a package, but not to run its programs. */
const upkeep = /^(adduser|debconf|cdebconf|init-system-helpers|lsb-base|sysvinit-utils|ucf)$/;

/**
 * The package, its direct dependencies, since its programs may be links into those, and all
 * libraries below it that the system lacks.
 */
async function wantedPackages(name: string, options: string[]): Promise<string[]> {
  const direct = await dependencies(name, [...options, 'depends']);
  const all = await dependencies(name, [...options, 'depends', '--recurse']);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholders are dpkg's
  const query = ['-W', '-f', '${Package} ${db:Status-Status}\n'];
  const { stdout: known } = await run('dpkg-query', query, { maxBuffer: outputBytes });
  const lines = known.split('\n').filter((line) => line.endsWith(' installed'));
  const installed = new Set(lines.map((line) => line.split(' ')[0]));
  const isLibrary = (each: string): boolean => each.startsWith('lib');
  const parts = direct.filter((each) => !isLibrary(each) && !upkeep.test(each));
  const libraries = all.filter((each) => isLibrary(each) && !installed.has(each));
  return [...new Set([name, ...parts, ...libraries])];
}

async function dependencies(name: string, args: string[]): Promise<string[]> {
  const other = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'];
  const flags = other.map((kind) => `--no-${kind}`);
  const text = await apt('apt-cache', [...args, ...flags, name], '/');
  // `Depends: name` or `PreDepends: name`; virtual packages are in angle brackets.
  const names = text.split('\n').map((line) => /Depends: ([a-z0-9][a-z0-9+.-]*)$/.exec(line)?.[1]);
  return names.filter((each) => each !== undefined);
}

async function apt(command: string, args: string[], cwd: string): Promise<string> {
  // As root, apt would download as a user who cannot write to our folder.
  const sandbox = ['-o', 'APT::Sandbox::User=root'];
  const options = { cwd, timeout: deadlineMs, maxBuffer: outputBytes };
  const { stdout } = await run(command, [...sandbox, ...args], options);
  return stdout;
}

function libraryFolders(base: string): string[] {
  return ['usr/lib', 'lib'].flatMap((folder) => {
    const path = join(base, folder);
    if (!existsSync(path)) return [];
    const entries = readdirSync(path, { withFileTypes: true, recursive: true });
    const libraries = entries.filter((entry) => /\.so(\.|$)/.test(entry.name));
    return [...new Set(libraries.map((entry) => entry.parentPath ?? entry.path))];
  });
}
