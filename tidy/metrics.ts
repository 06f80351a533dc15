import ts from 'typescript';
import { nodesOf, type Parsed } from './syntax.js';
import { type Finding, findLines, type ProjectFile } from './tree.js';

const kinds = new Set(['counter', 'gauge', 'histogram']);

/** What the names of the metrics match that the sources define, without `countersign_`. */
export function definedMetrics(sources: readonly Parsed[]): RegExp {
  const names = sources.flatMap(({ tree }) => [...nodesOf(tree)].flatMap(nameAt));
  return new RegExp(`^(${names.join('|')})$`);
}

function nameAt(node: ts.Node): string[] {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const [name] = node.arguments;
  if (!name || !kinds.has(node.expression.name.text)) return [];
  if (ts.isStringLiteralLike(name)) return [name.text];
  if (!ts.isTemplateExpression(name)) return [];
  const rest = name.templateSpans.map(({ literal }) => `[a-z_]+${literal.text}`);
  return [name.head.text + rest.join('')];
}

/** The databases have names of the same form. */
const database = /^(gateway|(identity|decision|ledger|notifier|settlement)(_(live|sandbox))?)$/;

/** Metrics that a document names and no source defines: an alert on one would never fire. */
export function unknownMetrics(documents: readonly ProjectFile[], defined: RegExp): Finding[] {
  return documents.flatMap((file) => {
    const named = file.text.match(/(?<=\bcountersign_)[a-z_]*[a-z]\b(?!_)/g) ?? [];
    const unknown = named.filter((name) => !defined.test(name) && !database.test(name));
    return [...new Set(unknown)].flatMap((name) =>
      findLines(file, new RegExp(`countersign_${name}\\b`), `no metric ${name} is defined`),
    );
  });
}
