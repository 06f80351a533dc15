import { posix } from 'node:path';
import ts from 'typescript';
import { nodesOf, type Parsed } from './syntax.js';
import { isForTests } from './tree.js';

export interface Import {
  specifier: string;
  typeOnly: boolean;
}

/** Every module that a file names in an import, an export or a dynamic import. */
export function importsOf({ tree }: Parsed): Import[] {
  return [...nodesOf(tree)].flatMap((node) => {
    if (ts.isImportDeclaration(node)) {
      const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      return named(node.moduleSpecifier, typeOnly || onlyTypes(node.importClause));
    }
    if (ts.isExportDeclaration(node)) return named(node.moduleSpecifier, node.isTypeOnly);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      return named(node.argument.literal, true);
    }
    const dynamic = ts.isCallExpression(node) && node.expression.kind === importKeyword;
    return dynamic || isFileUrl(node) ? named(node.arguments?.[0], false) : [];
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

function named(node: ts.Node | undefined, typeOnly: boolean): Import[] {
  return node && ts.isStringLiteral(node) ? [{ specifier: node.text, typeOnly }] : [];
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
