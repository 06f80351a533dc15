import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import root from 'tap';

/** A new folder for the tests of a file, which is removed when they have ended. */
export function newTestFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  root.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
