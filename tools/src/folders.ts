import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root folder of this checkout. */
export const rootFolder = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** All files created at run time; removing the folder starts afresh. */
export const stateFolder = join(rootFolder, '.countersign');

export function serviceFolder(service: string): string {
  return join(rootFolder, 'services', service);
}

/**
 * The servers' user needs access through this folder; secret files in it are protected
 * individually.
 */
export function makeStateFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  return folder;
}
