import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file system in memory that every Linux has; other systems have none. */
const memory = '/dev/shm';
const megabyte = 2 ** 20;
/** Several times what a run of all tests has at once. */
const roomMb = 4_096;
const spareMemoryMb = 8_192;

/**
 * A new folder in memory, or null if the machine does not have plenty. For data that is thrown
 * away: a run of tests creates and drops thousands of databases of several hundred files each, and
 * a file system on disk searches long for inodes that were not just in use.
 */
export function memoryFolder(): string | null {
  if (process.availableMemory() < spareMemoryMb * megabyte) return null;
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < roomMb * megabyte) return null;
    const folder = mkdtempSync(join(memory, 'countersign-'));
    if (canExecuteIn(folder)) return folder;
    rmSync(folder, { recursive: true });
  } catch {
    // Where nothing can be written there, the data is on disk.
  }
  return null;
}

/** A server's program may be copied beside its data; containers mount `/dev/shm` with `noexec`. */
function canExecuteIn(folder: string): boolean {
  const file = join(folder, 'probe');
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = spawnSync(file);
  rmSync(file);
  return status === 0;
}
