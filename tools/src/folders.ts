import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout this file belongs to. */
export const rootFolder = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Everything that running leaves behind, and nothing else: removing it starts afresh. */
export const stateFolder = join(rootFolder, '.countersign');

export function serviceFolder(service: string): string {
  return join(rootFolder, 'services', service);
}

/** The servers' user passes through it to their data; what is secret in it is closed itself. */
export function makeStateFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  return folder;
}
