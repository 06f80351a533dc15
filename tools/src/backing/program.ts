import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { ServerHome } from './server-home.js';

/** A server program that runs on this machine. */
export interface Program {
  path: string;
  /** Additional environment, for programs that bring their own libraries. */
  env: Record<string, string>;
  /** `18.1`, `7.0.15` */
  version: string;
}

const versionDeadlineMs = 10_000;

/**
 * Runs `--version` as the server's user, which proves that it can be executed with its libraries.
 */
export function tryProgram(
  path: string,
  home: ServerHome,
  env: Record<string, string> = {},
): Program | null {
  const { status, stdout } = spawnSync(path, ['--version'], {
    cwd: '/',
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: versionDeadlineMs,
    ...(home.owner ?? {}),
  });
  const number = /\d+(\.\d+)+/.exec(stdout ?? '')?.[0];
  return status === 0 ? { path, env, version: number ?? 'unknown' } : null;
}

/** Where systems install servers outside the usual PATH. */
const systemFolders = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

export function findOnPath(names: readonly string[], home: ServerHome): Program | null {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return findIn([...onPath, ...systemFolders, ...postgresFolders('/usr')], names, { home });
}

export function findIn(
  folders: readonly string[],
  names: readonly string[],
  { home, env = {} }: { home: ServerHome; env?: Record<string, string> },
): Program | null {
  for (const name of names) {
    for (const folder of new Set(folders)) {
      const path = join(folder, name);
      if (!isExecutable(path)) continue;
      const program = tryProgram(path, home, env);
      if (program) return program;
    }
  }
  return null;
}

/** Debian installs each major version of PostgreSQL in its own folder; the newest first. */
export function postgresFolders(prefix: string): string[] {
  const base = join(prefix, 'lib/postgresql');
  if (!existsSync(base)) return [];
  const versions = readdirSync(base).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(base, version, 'bin'));
}

/** Another program in the same folder. */
export function beside(program: Program, name: string): string {
  return join(dirname(program.path), name);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
