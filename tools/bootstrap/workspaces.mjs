import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fail } from './step.mjs';

/** Folders of all workspaces, relative to the root, as the root package.json lists them. */
export function workspaces(root) {
  const { workspaces: patterns } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const folders = patterns.flatMap((pattern) => {
    if (!pattern.endsWith('/*')) return [pattern];
    const parent = pattern.slice(0, -2);
    if (!existsSync(join(root, parent))) return [];
    return readdirSync(join(root, parent)).map((name) => `${parent}/${name}`);
  });
  return folders.filter((folder) => existsSync(join(root, folder, 'package.json')));
}

/** What runs: without the tests of the whole. */
export function servicesOf(root) {
  return workspaces(root).filter((folder) => folder.startsWith('services/'));
}

/** A workspace as it was named on the command line: from the root, or from where one stands. */
export function workspaceOf(root, name) {
  const known = workspaces(root);
  const clean = name.replace(/\/+$/, '');
  const folder = known.includes(clean) ? clean : relative(root, resolve(clean));
  if (known.includes(folder)) return folder;
  return fail(`"${name}" is not a workspace.`, `Workspaces: ${known.join(', ')}.`);
}

/** A workspace with all it refers to, so that a part can be built without the rest. */
export function withReferences(root, folders) {
  const found = new Set();
  const visit = (folder) => {
    if (found.has(folder)) return;
    found.add(folder);
    const file = join(root, folder, 'tsconfig.json');
    if (!existsSync(file)) return;
    const { references = [] } = JSON.parse(readFileSync(file, 'utf8'));
    for (const { path } of references) visit(relative(root, resolve(root, folder, path)));
  };
  for (const folder of folders) visit(folder);
  return [...found].sort();
}
