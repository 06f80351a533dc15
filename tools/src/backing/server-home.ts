import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, say } from '../screen.js';
import type { Owner } from '../supervised-process.js';
import { memoryFolder } from './memory-folder.js';

/** Data folder and user of the servers; without an owner they run as the current user. */
export interface ServerHome {
  folder: string;
  owner: Owner | null;
}

const users = ['postgres', 'nobody'];

/**
 * PostgreSQL refuses to run as root, and the others should not. When started by root, servers run
 * as an unprivileged user; if that user cannot access the folder, because the checkout lies in a
 * private home folder, the folder becomes a link to an accessible one. A new folder that need not
 * be durable is a link to one in memory where there is plenty.
 */
export function serverHome(folder: string, durable: boolean): ServerHome {
  const owner = process.getuid?.() === 0 ? unprivilegedUser() : null;
  if (!existsSync(folder)) {
    mkdirSync(dirname(folder), { recursive: true });
    const inMemory = durable ? null : memoryFolder();
    makeOwned(inMemory ?? folder, owner);
    if (inMemory) symlinkSync(inMemory, folder);
  }
  if (owner && !canReach(realpathSync(folder), owner)) moveOutside(folder, owner);
  return { folder: realpathSync(folder), owner };
}

function makeOwned(folder: string, owner: Owner | null): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (owner) chownSync(folder, owner.uid, owner.gid);
}

function unprivilegedUser(): Owner {
  for (const name of users) {
    try {
      const id = (flag: string): number =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // Ignored: the next user name may exist.
    }
  }
  throw new Failure(
    'Started by root, and there is no user without rights to run the servers as.',
    `Add one (useradd --system nobody), or start as another user than root.`,
  );
}

/** Tested as that user, since access depends on more than mode bits. */
export function canReach(path: string, owner: Owner): boolean {
  const test = spawnSync('/bin/sh', ['-c', 'test -r "$1" && test -x "$1"', 'sh', path], {
    cwd: '/',
    uid: owner.uid,
    gid: owner.gid,
  });
  return test.status === 0;
}

function moveOutside(folder: string, owner: Owner): void {
  const key = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const outside = `/var/tmp/countersign-${key}`;
  if (!existsSync(outside)) makeOwned(outside, owner);
  const found = lstatSync(outside);
  // Anyone may create folders there: one with a different owner could be an attack.
  if (!found.isDirectory() || found.uid !== owner.uid) {
    throw new Failure(`${outside} belongs to somebody else.`, `Remove ${outside} and start again.`);
  }
  chmodSync(outside, 0o700);
  if (lstatSync(folder).isSymbolicLink() || readdirSync(folder).length === 0) {
    rmSync(folder, { recursive: true });
  } else {
    // Data from before the folder became inaccessible is kept.
    renameSync(folder, `${folder}.unreachable-${Date.now()}`);
  }
  symlinkSync(outside, folder);
  say(`the servers' user cannot reach this folder: their data is kept in ${outside}`);
}

/** Removes the folder of a finished run and of the stacks in it, with data stored elsewhere. */
export function removeRunFolder(folder: string): void {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const isElsewhere = entry.name === 'data' && entry.isSymbolicLink();
    if (isElsewhere) rmSync(readlinkSync(path), { recursive: true, force: true });
    if (entry.name.startsWith('stack-')) removeRunFolder(path);
  }
  rmSync(folder, { recursive: true, force: true });
}

/** A folder for one server, owned by the user it runs as. */
export function makeServerFolder(home: ServerHome, folder: string): void {
  makeOwned(folder, home.owner);
}
