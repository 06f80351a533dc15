import ts from 'typescript';
import { nodesOf, type Parsed } from './syntax.js';
import type { Finding, ProjectFile } from './tree.js';

/** An environment variable that a service reads. */
export interface Variable {
  name: string;
  /** True if it has no default, so that the service does not start without it. */
  required: boolean;
}

export interface ReadVariable extends Variable {
  /** True if the service's own config.ts defines it. */
  own: boolean;
}

/** The variables of a service's config.ts: its own and those of shared groups that it spreads. */
export function variablesOf(config: Parsed, shared: Parsed): ReadVariable[] {
  const groups = new Map(definitionsIn(shared));
  const spread = [...nodesOf(config.tree)].flatMap((node) =>
    ts.isIdentifier(node) && !ts.isImportSpecifier(node.parent)
      ? (groups.get(node.text) ?? [])
      : [],
  );
  const own = definitionsIn(config).flatMap(([, variables]) => variables);
  const ownNames = new Set(own.map(({ name }) => name));
  const all = new Map([...spread, ...own].map((variable) => [variable.name, variable]));
  return [...all.values()].map((variable) => ({ ...variable, own: ownNames.has(variable.name) }));
}

/**
 * The settings of each top-level constant, defined as `setting.kind('NAME', { ... })`, with those
 * of the constants before it that it spreads.
 */
function definitionsIn({ tree }: Parsed): Array<[string, Variable[]]> {
  const known = new Map<string, Variable[]>();
  const declarations = tree.statements
    .filter(ts.isVariableStatement)
    .flatMap((statement) => [...statement.declarationList.declarations]);
  for (const declaration of declarations) {
    const variables = [...nodesOf(declaration)].flatMap((node) =>
      ts.isIdentifier(node) ? (known.get(node.text) ?? []) : variableAt(node),
    );
    known.set(declaration.name.getText(tree), variables);
  }
  return [...known];
}

/** Includes functions that create a setting from a given name: `address('X_ADDRESS', …)`. */
function variableAt(node: ts.Node): Variable[] {
  if (!ts.isCallExpression(node)) return [];
  const [first, options] = node.arguments;
  if (!first || !ts.isStringLiteral(first) || !/^[A-Z][A-Z0-9_]+$/.test(first.text)) return [];
  const hasDefault =
    /\.(optional|file)$/.test(node.expression.getText()) ||
    (options !== undefined && /\bfallback\b/.test(options.getText()));
  return [{ name: first.text, required: !hasDefault }];
}

/** Own settings of services that the compose file need not pass on: one machine needs no other. */
const leftAtDefault = new Set([
  ...['HOST', 'INTERNAL_HOST', 'REDIS_TIMEOUT_MS', 'FENCE_RETRY_MS'],
  ...['COMMIT_LANES', 'COMMIT_QUEUE_LIMIT', 'COMMIT_TIMEOUT_MS'],
]);

/**
 * Compares the variables in the compose file with those that the service reads. It has to pass on
 * each of the service's own: otherwise setting it in .env has no effect, and nothing says so.
 */
export function composeMistakes(
  compose: ProjectFile,
  service: string,
  { read, image }: { read: ReadVariable[]; image: string },
): Finding[] {
  const lines = compose.text.split('\n');
  const from = lines.indexOf(`  ${service}:`, lines.indexOf('services:'));
  const length = lines.slice(from + 1).findIndex((line) => /^ {0,2}\S/.test(line));
  const block = lines.slice(from, from + 1 + length);
  const told = block.flatMap((line) => /^ {6}([A-Z][A-Z0-9_]+):/.exec(line)?.[1] ?? []);
  if (block.some((line) => line.includes('<<: *environment'))) told.push('NATS_URL');
  const known = new Set(read.map(({ name }) => name));
  const at = `${compose.path}:${from + 1}`;
  return [
    ...told.filter((name) => !known.has(name)).map((name) => `${at}: ${name} is not read`),
    ...read
      .filter(({ name, own, required }) => required || (own && !leftAtDefault.has(name)))
      .filter(({ name }) => !told.includes(name))
      .filter(({ name }) => !image.includes(`${name}=`))
      .map(({ name }) => `${at}: ${name} is missing`),
  ];
}
