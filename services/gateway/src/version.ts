import { readFileSync } from 'node:fs';

interface Manifest {
  version: string;
}

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');

/** The version of this build, as its package says it. */
export const version = (JSON.parse(manifest) as Manifest).version;
