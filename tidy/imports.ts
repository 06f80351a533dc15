import { posix } from 'node:path';
import ts from 'typescript';
import { checkNodes, nodesOf, type Parsed } from './syntax.js';
import { type Finding, isForTests } from './tree.js';

export interface Import {
  specifier: string;
  typeOnly: boolean;
  /** What it names of the module; null for all of it. */
  names: string[] | null;
}

/** Every module that a file names in an import, an export or a dynamic import. */
export function importsOf({ tree }: Parsed): Import[] {
  return [...nodesOf(tree)].flatMap((node) => {
    if (ts.isImportDeclaration(node)) {
      const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      const names = namesOf(node.importClause?.namedBindings);
      return importOf(node.moduleSpecifier, typeOnly || onlyTypes(node.importClause), names);
    }
    if (ts.isExportDeclaration(node)) {
      return importOf(node.moduleSpecifier, node.isTypeOnly, namesOf(node.exportClause));
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      return importOf(node.argument.literal, true);
    }
    const dynamic = ts.isCallExpression(node) && node.expression.kind === importKeyword;
    return dynamic || isFileUrl(node) ? importOf(node.arguments?.[0], false) : [];
  });
}

/** `new URL('./other.js', import.meta.url)`: how a program refers to another that it starts. */
function isFileUrl(node: ts.Node): node is ts.NewExpression {
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'URL') return false;
  const [first] = node.arguments ?? [];
  return first !== undefined && ts.isStringLiteral(first) && /^\.\.?\/.*\.js$/.test(first.text);
}

const importKeyword = ts.SyntaxKind.ImportKeyword;

function onlyTypes(clause: ts.ImportClause | undefined): boolean {
  const bindings = clause?.namedBindings;
  if (!bindings || clause.name || !ts.isNamedImports(bindings)) return false;
  return bindings.elements.length > 0 && bindings.elements.every((element) => element.isTypeOnly);
}

function namesOf(bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined) {
  if (!bindings || !('elements' in bindings)) return null;
  return bindings.elements.map(({ name, propertyName = name }) => propertyName.text);
}

function importOf(
  node: ts.Node | undefined,
  typeOnly: boolean,
  names: string[] | null = null,
): Import[] {
  return node && ts.isStringLiteral(node) ? [{ specifier: node.text, typeOnly, names }] : [];
}

/** The package of a bare specifier; null for relative imports and Node's own modules. */
export function packageOf(specifier: string): string | null {
  if (/^(\.|#|node:)/.test(specifier)) return null;
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

/** Folders of the workspaces that others import by name. */
const workspaceFolders: Record<string, string> = {
  '@countersign/kernel': 'packages/kernel',
  '@countersign/runtime': 'packages/runtime',
  '@countersign/sdk': 'packages/sdk',
  '@countersign/proto': 'proto',
  '@countersign/tools': 'tools',
};

/** The source files that an import may refer to, without accessing the disk. */
function candidates(from: string, specifier: string): string[] {
  if (specifier.startsWith('.')) {
    const path = posix.join(posix.dirname(from), specifier);
    const sources = ['.ts', '.tsx'].map((end) => path.replace(/\.js$/, end));
    return [path, ...sources, path.replace(/\.mjs$/, '.d.mts')];
  }
  const folder = workspaceFolders[packageOf(specifier) ?? ''];
  const name = specifier.split('/').slice(2).join('/') || 'index';
  return folder ? [`${folder}/src/${name}.ts`, `${folder}/${name}`] : [];
}

/** All files reachable from these by imports, including them. */
function reach(starts: string[], files: ReadonlyMap<string, Parsed>): Set<string> {
  const reached = new Set<string>();
  const waiting = [...starts];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const parsed = files.get(path);
    if (!parsed || reached.has(path)) continue;
    reached.add(path);
    for (const { specifier } of importsOf(parsed)) waiting.push(...candidates(path, specifier));
  }
  return reached;
}

/**
 * Files that are reachable neither from an entry point nor, for test helpers and everything of e2e,
 * from a test.
 */
export function deadFiles(files: Parsed[], isEntry: (path: string) => boolean): string[] {
  const byPath = new Map(files.map((parsed) => [parsed.path, parsed]));
  const paths = [...byPath.keys()];
  const running = reach(
    paths.filter((path) => isEntry(path)),
    byPath,
  );
  const testing = reach(
    paths.filter((path) => /\.test\.ts$/.test(path)),
    byPath,
  );
  const isTesting = (path: string) => isForTests(path) || path.startsWith('e2e/');
  return paths.filter((path) => !running.has(path) && !(isTesting(path) && testing.has(path)));
}

/** Types for this project alone that are exported although no other file names them. */
export function unsharedTypes(
  files: Parsed[],
  isOurs: (path: string, name: string) => boolean,
): Finding[] {
  const shared = new Set(files.flatMap(namedElsewhere));
  return checkNodes(files, (node, { path }) => {
    if (!ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node)) return undefined;
    const { name, modifiers } = node;
    const isExported = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported || !isOurs(path, name.text)) return undefined;
    const isShared = shared.has(path) || shared.has(`${path} ${name.text}`);
    return isShared ? undefined : `${name.text} is exported, and no other file imports it`;
  });
}

/** The paths that a file may import as a whole, and `path name` of what it imports by name. */
function namedElsewhere(file: Parsed): string[] {
  return importsOf(file).flatMap(({ specifier, names }) =>
    candidates(file.path, specifier).flatMap(
      (path) => names?.map((name) => `${path} ${name}`) ?? path,
    ),
  );
}
