import ts from 'typescript';
import type { Finding, ProjectFile } from './tree.js';

/** A parsed source file; types are not resolved, because the checks only concern syntax. */
export interface Parsed {
  path: string;
  text: string;
  tree: ts.SourceFile;
}

/** What is wrong with a node, or undefined. */
export type NodeCheck = (node: ts.Node, parsed: Parsed) => string | undefined;

export function parse(file: ProjectFile): Parsed {
  const { path, text } = file;
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
}

/** Every node of the file, depth first. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    children.push(child);
  });
  return children;
}

export function checkNodes(files: Parsed[], check: NodeCheck): Finding[] {
  return files.flatMap((parsed) =>
    [...nodesOf(parsed.tree)].flatMap((node) => {
      const problem = check(node, parsed);
      return problem ? [`${parsed.path}:${lineOf(parsed, node)}: ${problem}`] : [];
    }),
  );
}

function lineOf({ tree }: Parsed, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
}

export function longFunctions(maxLines: number): NodeCheck {
  return (node, { tree }) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return undefined;
    const first = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line;
    const lines = tree.getLineAndCharacterOfPosition(node.getEnd()).line - first + 1;
    return lines > maxLines ? `function of ${lines} lines (at most ${maxLines})` : undefined;
  };
}

export function manyParameters(max: number): NodeCheck {
  return (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return undefined;
    const count = node.parameters.filter(({ name }) => name.getText() !== 'this').length;
    return count > max ? `${count} positional parameters (at most ${max})` : undefined;
  };
}

export const defaultExports: NodeCheck = (node) => {
  if (ts.isExportAssignment(node)) return 'default export';
  if (ts.isExportSpecifier(node) && node.name.text === 'default') return 'default export';
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  const isDefault = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword);
  return isDefault ? 'default export' : undefined;
};

export const enums: NodeCheck = (node) => (ts.isEnumDeclaration(node) ? 'enum' : undefined);

/** `any` needs a reason next to it, in the form that the linter accepts too. */
export const anys: NodeCheck = (node, { text, tree }) => {
  if (node.kind !== ts.SyntaxKind.AnyKeyword) return undefined;
  const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
  const before = text.split('\n')[line - 1] ?? '';
  return /biome-ignore lint\/suspicious\/noExplicitAny: \S/.test(before) ? undefined : 'any';
};

export const nonNullAssertions: NodeCheck = (node) =>
  ts.isNonNullExpression(node) ||
  (ts.isPropertyDeclaration(node) && node.exclamationToken !== undefined)
    ? 'non-null assertion'
    : undefined;
