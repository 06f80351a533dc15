import type { Metric } from '../metrics.js';
import type { Finding } from '../tree.js';
import { found, type Query } from './queries.js';

/** The metrics of Prometheus itself and of prom-client that are used. */
const others = new Set([
  'up',
  'process_start_time_seconds',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
]);
/** The labels that every series has: the first is ours, the others are those of its target. */
const everywhere = ['service', 'instance', 'job'];
const keywords = new Set(['and', 'or', 'unless', 'offset', 'bool', 'group_left', 'group_right']);
const suffixes: Record<string, string> = { counter: '', gauge: '', histogram: '_(bucket|sum|count)' };

/** A metric in an expression, with the labels by which it is selected. */
interface Selector {
  name: string;
  matchers: Array<{ label: string; value: string }>;
}

interface Expression {
  selectors: Selector[];
  /** Labels of `by` and `on`. */
  grouped: string[];
  aggregates: boolean;
}

/** Enough of PromQL to find the names in our own expressions. */
function read(expr: string): Expression {
  const clause = /\b(?:by|on)\s*\(([^)]*)\)/g;
  const grouped = found(expr, clause).flatMap((list) => list.split(/,\s*/));
  const bare = expr
    .replace(clause, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b\d+[smhd]\b/g, '');
  const selectors = [...bare.matchAll(/([a-z_]\w*)(\s*\()?(?:\{([^}]*)\})?/gi)].flatMap(
    ([, name = '', call, inside = '']) =>
      call || keywords.has(name) || quoted(bare, name) ? [] : [{ name, matchers: matchersIn(inside) }],
  );
  const aggregates = /\b(sum|max|min|count|histogram_quantile)\b/.test(expr);
  return { selectors, grouped, aggregates };
}

function quoted(expr: string, name: string): boolean {
  return new RegExp(`"[^"]*\\b${name}\\b[^"]*"`).test(expr) && !new RegExp(`\\b${name}\\b[^"]*[{)\\]]`).test(expr);
}

function matchersIn(inside: string): Selector['matchers'] {
  return [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(
    ([, label = '', value = '']) => ({ label, value }),
  );
}

export interface Vocabulary {
  metrics: readonly Metric[];
  /** The text of all sources, in which a value of a label has to occur. */
  sources: string;
}

/** What a query names and nothing defines, so that it would never have a result. */
export function unknownNames({ place, expr, shown }: Query, known: Vocabulary): Finding[] {
  const { selectors, grouped, aggregates } = read(expr);
  const labelsByName = new Map(selectors.map(({ name }) => [name, labelsOf(name, known.metrics)]));
  const any = [...labelsByName.values()].flatMap((labels) => labels ?? []);
  const result = aggregates ? [...grouped, ...absentLabels(expr)] : [...any, ...everywhere];
  const unknown = [
    ...(selectors.length === 0 ? ['it names no metric'] : []),
    ...selectors.filter(({ name }) => !labelsByName.get(name)).map(({ name }) => `metric ${name}`),
    ...grouped.filter((label) => !any.includes(label)).map((label) => `label ${label}`),
    ...shown.filter((label) => !result.includes(label)).map((label) => `label ${label} shown`),
    ...selectors.flatMap((selector) =>
      unknownMatchers(selector, labelsByName.get(selector.name) ?? [], known.sources),
    ),
  ];
  return unknown.map((what) => `${place}: ${what}`);
}

/** Undefined if there is no such metric. */
function labelsOf(name: string, metrics: readonly Metric[]): string[] | undefined {
  if (others.has(name)) return everywhere;
  const metric = metrics.find(({ pattern, kind }) =>
    new RegExp(`^countersign_${pattern}${suffixes[kind] ?? ''}$`).test(name),
  );
  if (!metric) return undefined;
  return [...metric.labels, ...everywhere, ...(name.endsWith('_bucket') ? ['le'] : [])];
}

/** `absent` has the labels that were asked for. */
function absentLabels(expr: string): string[] {
  return /\babsent\(/.test(expr) ? read(expr).selectors.flatMap(({ matchers }) => matchers.map(({ label }) => label)) : [];
}

function unknownMatchers({ name, matchers }: Selector, labels: string[], sources: string): string[] {
  return matchers.flatMap(({ label, value }) => {
    if (!labels.includes(label)) return [`label ${label} of ${name}`];
    if (['status', 'job'].includes(label) || value.startsWith('$')) return [];
    const strange = value.split('|').filter((each) => !occurs(each, sources));
    return strange.map((each) => `${label}="${each}" of ${name}`);
  });
}

function occurs(value: string, sources: string): boolean {
  return new RegExp(`(?<![\\w-])${value}(?![\\w-])`).test(sources);
}
