import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { StepFailure } from './step.mjs';

/** Folders of all workspaces, relative to the root, as listed in the root package.json. */
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

/** Folders of all services. */
export function servicesOf(root) {
  return workspaces(root).filter((folder) => folder.startsWith('services/'));
}

/** A workspace named on the command line, relative to the root or to the current folder. */
export function workspaceOf(root, name) {
  const known = workspaces(root);
  const clean = name.replace(/\/+$/, '');
  const folder = known.includes(clean) ? clean : relative(root, resolve(clean));
  if (known.includes(folder)) return folder;
  throw new StepFailure(`"${name}" is not a workspace.`, `Workspaces: ${known.join(', ')}.`);
}

/** A workspace and everything it references, so that it can be built alone. */
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
