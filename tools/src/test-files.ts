import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { workspaces } from '../bootstrap/workspaces.mjs';
import { type ServerName, serverNames } from './backing/server-kind.js';
import { rootFolder } from './folders.js';

export interface TestWorkspace {
  /** Relative to the root: `services/ledger`. */
  folder: string;
  backing: readonly ServerName[];
}

interface PackageFile {
  countersign?: { backing?: ServerName[] };
}

function readPackage(folder: string): PackageFile {
  return JSON.parse(readFileSync(join(rootFolder, folder, 'package.json'), 'utf8')) as PackageFile;
}

/** The named workspace, else all; each package.json lists the servers that its tests need. */
export function testWorkspaces(named: string | undefined): TestWorkspace[] {
  const folders = named
    ? [named.replace(/\/+$/, '')]
    : longestFirst([...workspaces(rootFolder), '.']);
  return folders.map((folder) => ({
    folder,
    backing: readPackage(folder).countersign?.backing ?? serverNames,
  }));
}

/** Their files take longest, so they start first instead of running alone at the end. */
const longest = ['e2e', 'tools'];

function longestFirst(folders: readonly string[]): string[] {
  return [...longest, ...folders.filter((one) => !longest.includes(one))];
}

/** Compiled tests that still have a source, since the compiler does not remove outdated output. */
export function testFiles(folder: string, words: readonly string[] = []): string[] {
  // The root is not a workspace but has tests: of code style, deployment and publishing.
  const isRoot = folder === '.';
  const source = join(rootFolder, folder, isRoot ? '' : 'src');
  if (!existsSync(source)) return [];
  const entries = readdirSync(source, { withFileTypes: true, recursive: !isRoot });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .map((file) => relative(source, file).replace(/\.ts$/, '.js'))
    .map((file) => join(folder, 'dist', file))
    .sort();
}
