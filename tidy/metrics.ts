import ts from 'typescript';
import { nodesOf, type Parsed } from './syntax.js';
import { type Finding, findLines, type ProjectFile } from './tree.js';

const kinds = new Set(['counter', 'gauge', 'histogram']);

/** A metric that a source defines. */
export interface Metric {
  /** What its name matches, without `countersign_`: part of it may be computed. */
  pattern: string;
  kind: string;
  labels: string[];
}

/** Every metric that the sources define. */
export function definedMetrics(sources: readonly Parsed[]): Metric[] {
  return sources.flatMap(({ tree }) => [...nodesOf(tree)].flatMap(metricAt));
}

function metricAt(node: ts.Node): Metric[] {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const [name, , labels] = node.arguments;
  const kind = node.expression.name.text;
  if (!name || !kinds.has(kind)) return [];
  return patternOf(name).map((pattern) => ({ pattern, kind, labels: textsIn(labels) }));
}

function patternOf(name: ts.Expression): string[] {
  if (ts.isStringLiteralLike(name)) return [name.text];
  if (!ts.isTemplateExpression(name)) return [];
  const rest = name.templateSpans.map(({ literal }) => `[a-z_]+${literal.text}`);
  return [name.head.text + rest.join('')];
}

function textsIn(list: ts.Expression | undefined): string[] {
  if (!list || !ts.isArrayLiteralExpression(list)) return [];
  return list.elements.filter(ts.isStringLiteralLike).map(({ text }) => text);
}

/** The databases have names of the same form. */
const database = /^(gateway|(identity|decision|ledger|notifier|settlement)(_(live|sandbox))?)$/;

/** Metrics that a document names and no source defines: an alert on one would never fire. */
export function unknownMetrics(
  documents: readonly ProjectFile[],
  metrics: readonly Metric[],
): Finding[] {
  const defined = new RegExp(`^(${metrics.map(({ pattern }) => pattern).join('|')})$`);
  return documents.flatMap((file) => {
    const named = file.text.match(/(?<=\bcountersign_)[a-z_]*[a-z]\b(?!_)/g) ?? [];
    const unknown = named.filter((name) => !defined.test(name) && !database.test(name));
    return [...new Set(unknown)].flatMap((name) =>
      findLines(file, new RegExp(`countersign_${name}\\b`), `no metric ${name} is defined`),
    );
  });
}

/** Metrics that no document names: nobody would find them, or know what they count. */
export function undocumentedMetrics(
  documents: readonly ProjectFile[],
  metrics: readonly Metric[],
): Finding[] {
  // `<environment>` stands for what is computed.
  const text = documents.map((file) => file.text.replace(/<[a-z]+>/g, 'any')).join('\n');
  return metrics
    .map(({ pattern }) => `countersign_${pattern}`)
    .filter((pattern) => !new RegExp(`\\b${pattern}\\b`).test(text))
    .map((pattern) => `${pattern}: documented neither in docs/operations.md nor in a README`);
}
