import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the project, that is, not excluded by .gitignore. */
export interface ProjectFile {
  /** Relative to the root, with forward slashes. */
  path: string;
  bytes: number;
  /** Empty for a binary file. */
  text: string;
}

/** A violation, as `path:line: what`. */
export type Finding = string;

/** Compiled files run from dist/tidy/. */
const root = fileURLToPath(new URL('../../', import.meta.url));
const sourceExtensions = new Set(['.ts', '.tsx', '.mts', '.mjs', '.cjs', '.js']);

export function isSource(file: ProjectFile): boolean {
  return sourceExtensions.has(extname(file.path));
}

export function isTest(path: string): boolean {
  return /\.test\.ts$/.test(path);
}

/** Read by a tool that requires a default export, and imported by no file. */
export function isConfig(path: string): boolean {
  return /\.config\.\w+$/.test(path);
}

/** Becomes part of a bundle, so its imports do not exist at run time. */
export function isBundled(path: string): boolean {
  return path.startsWith('packages/console/');
}

/** Used only by tests and not in production. */
export function isForTests(path: string): boolean {
  return isTest(path) || /(^e2e\/|^tidy\/|\/test\/|\/testing(\.ts$|\/))/.test(path);
}

/** Every file of the project, sorted, read once. */
export function readProject(): ProjectFile[] {
  const ignored = ignorePatterns(readFileSync(`${root}.gitignore`, 'utf8'));
  return walk('', ignored)
    .sort()
    .map((path) => {
      const content = readFileSync(root + path);
      const text = content.includes(0) ? '' : content.toString();
      return { path, bytes: statSync(root + path).size, text };
    });
}

function walk(folder: string, ignored: RegExp[]): string[] {
  return readdirSync(root + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    if (ignored.some((pattern) => pattern.test(path))) return [];
    if (entry.isDirectory()) return walk(`${path}/`, ignored);
    return entry.isFile() ? [path] : [];
  });
}

/** .gitignore may contain only names, `folder/`, `a/b/` and `*.ext`; anything else is rejected. */
function ignorePatterns(gitignore: string): RegExp[] {
  const patterns = gitignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return ['.git/', ...patterns].map((pattern) => {
    if (/[![\]?]|\*\*/.test(pattern)) throw new Error(`.gitignore: ${pattern} is not understood`);
    const name = pattern.replace(/^\/|\/$/g, '');
    const anchor = name.includes('/') || pattern.startsWith('/') ? '^' : '(^|/)';
    return new RegExp(`${anchor}${name.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`);
  });
}

/** Every line that matches the pattern; `what` explains the violation. */
export function findLines(file: ProjectFile, pattern: RegExp, what: string): Finding[] {
  return file.text
    .split('\n')
    .flatMap((line, index) => (pattern.test(line) ? [`${file.path}:${index + 1}: ${what}`] : []));
}
