import { importsOf, packageOf } from './imports.js';
import type { Workspace } from './manifests.js';
import type { Finding, ProjectFile } from './tree.js';

const own = '@countersign/';

/** Compares the workspaces copied into an image with those that its service imports. */
export function imageMistakes(image: ProjectFile, workspaces: readonly Workspace[]): Finding[] {
  const folder = image.path.replace(/Dockerfile$/, '');
  const [, production = ''] = image.text.split(/^FROM .* AS production$/m);
  const needed = withDependencies(folder, workspaces);
  const installed = foldersIn(production, /(?<= )([\w/-]+\/)package\.json/g);
  const built = foldersIn(production, /^COPY --from=built \/app\/([\w/-]+\/)dist /gm);
  return [
    ...difference(installed, needed).map((each) => `${image.path}: ${each}package.json`),
    ...difference(built, needed).map((each) => `${image.path}: ${each}dist`),
  ];
}

/** The build stages common to all images; if they differ, each image builds its own. */
export function sharedStages({ text }: ProjectFile): string {
  const from = text.indexOf('FROM ');
  return text.slice(from, text.indexOf('FROM shared AS built'));
}

/**
 * Finds installation steps that include the root's dependencies: these are for linting and tests,
 * and make up most of what is installed on a development machine.
 */
export function buildMistakes(
  images: readonly ProjectFile[],
  bootstrap: readonly ProjectFile[],
  workspaces: readonly Workspace[],
): Finding[] {
  const named = new Set(
    workspaces.flatMap(({ manifest: { dependencies, devDependencies } }) =>
      Object.keys({ ...dependencies, ...devDependencies }),
    ),
  );
  const run = bootstrap.flatMap(({ path, text }) =>
    [...text.matchAll(/node_modules\/((?:@[\w-]+\/)?\w[\w-]*)\//g)]
      .filter(([, name = '']) => !named.has(name))
      .map(([, name = '']) => `${path}: no workspace names ${name}`),
  );
  const installed = images
    .filter(({ text }) => !/^RUN npm ci .*--workspaces$/m.test(text))
    .map(({ path }) => `${path}: is built with what the root names`);
  return [...run, ...installed];
}

/**
 * Sources that an image compiles although they import what only the root names, such as helpers of
 * tests: no image could be built from them.
 */
export function uncompilable(dockerignore: string, workspaces: readonly Workspace[]): Finding[] {
  const left = dockerignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const ignored = left.map(ignorePattern);
  const named = new Set(
    workspaces.flatMap(({ manifest: { name, dependencies, devDependencies } }) => [
      name,
      ...Object.keys({ ...dependencies, ...devDependencies }),
    ]),
  );
  return workspaces
    .flatMap(({ files }) => files)
    .filter(({ path }) => !ignored.some((pattern) => pattern.test(path)))
    .flatMap((file) =>
      importsOf(file)
        .map(({ specifier }) => packageOf(specifier))
        .filter((name) => name !== null && !named.has(name))
        .map((name) => `${file.path}: an image compiles it, and no workspace names ${name}`),
    );
}

/** A line of .dockerignore, which also leaves out what is in a folder of that name. */
function ignorePattern(line: string): RegExp {
  const parts = line
    .split('**/')
    .map((part) => part.replaceAll('.', '\\.').replaceAll('*', '[^/]*'));
  return new RegExp(`^${parts.join('(.*/)?')}(/|$)`);
}

function withDependencies(folder: string, workspaces: readonly Workspace[]): Set<string> {
  const found = new Set([folder]);
  for (const each of found) {
    const { dependencies = {} } =
      workspaces.find((workspace) => workspace.folder === each)?.manifest ?? {};
    for (const name of Object.keys(dependencies).filter((one) => one.startsWith(own))) {
      const target = workspaces.find(({ manifest }) => manifest.name === name);
      if (target) found.add(target.folder);
    }
  }
  return found;
}

function foldersIn(text: string, pattern: RegExp): Set<string> {
  return new Set([...text.matchAll(pattern)].map(([, folder = '']) => folder));
}

/** Elements of exactly one of the sets. */
function difference(one: Set<string>, other: Set<string>): string[] {
  const lone = (from: Set<string>, than: Set<string>) => [...from].filter((x) => !than.has(x));
  return [...lone(one, other), ...lone(other, one)];
}
