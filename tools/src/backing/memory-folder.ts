import { mkdtempSync, statfsSync } from 'node:fs';
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
    return mkdtempSync(join(memory, 'countersign-'));
  } catch {
    return null;
  }
}
