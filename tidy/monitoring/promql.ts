import type { Metric } from '../metrics.js';
import type { Finding } from '../tree.js';
import { found, type Query } from './queries.js';

/** The metrics of Prometheus itself and of prom-client that are used. */
const others = new Set([
  'up',
  'process_start_time_seconds',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'process_open_fds',
  'process_max_fds',
]);
/** The labels that every series has: the first is ours, the others are those of its target. */
const everywhere = ['service', 'instance', 'job'];
const keywords = new Set(['and', 'or', 'unless', 'offset']);
const suffixes: Record<string, string> = { histogram: '_(bucket|sum|count)' };

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

/** Understands as much of PromQL as our own expressions use. */
function read(expr: string): Expression {
  const clause = /\b(?:by|on)\s*\(([^)]*)\)/g;
  const grouped = found(expr, clause).flatMap((list) => list.split(/,\s*/));
  const bare = expr
    .replace(clause, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b\d+[smhd]\b/g, '');
  const words = [...bare.matchAll(/([a-z_]\w*)(\s*\()?(?:\{([^}]*)\})?/gi)];
  const selectors = words
    .filter(([, name = '', call]) => !call && !keywords.has(name))
    .map(([, name = '', , inside = '']) => ({ name, matchers: matchersIn(inside) }));
  const aggregates = /\b(sum|max|min|count|histogram_quantile)\b/.test(expr);
  return { selectors, grouped, aggregates };
}

function matchersIn(inside: string): Selector['matchers'] {
  const all = inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g);
  return [...all].map(([, label = '', value = '']) => ({ label, value }));
}

export interface Vocabulary {
  metrics: readonly Metric[];
  /** The text of all sources, in which the value of a label has to occur. */
  sources: string;
}

/** What a query names and no source defines: without it, the query never has a result. */
export function unknownNames({ place, expr, shown }: Query, known: Vocabulary): Finding[] {
  const { selectors, grouped, aggregates } = read(expr);
  const labels = new Map(selectors.map(({ name }) => [name, labelsOf(name, known.metrics)]));
  const any = [...labels.values()].flatMap((each) => each ?? []);
  const result = aggregates ? grouped : any;
  const unknown = [
    ...(selectors.length === 0 ? ['no metric'] : []),
    ...[...labels].filter(([, each]) => !each).map(([name]) => `no metric ${name} is defined`),
    ...grouped.filter((each) => !any.includes(each)).map((each) => `no metric has ${each}`),
    ...shown.filter((each) => !result.includes(each)).map((each) => `the result lacks ${each}`),
    ...selectors.flatMap((each) => {
      const defined = labels.get(each.name);
      return defined ? unknownMatchers(each, defined, known.sources) : [];
    }),
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

function unknownMatchers(
  { name, matchers }: Selector,
  labels: readonly string[],
  sources: string,
): string[] {
  return matchers.flatMap(({ label, value }) => {
    if (!labels.includes(label)) return [`${name} has no label ${label}`];
    // Patterns, and the value of a variable of the dashboard.
    if (['status', 'job'].includes(label) || value.startsWith('$')) return [];
    const strange = value.split('|').filter((each) => !occursIn(sources, each));
    return strange.map((each) => `${label} of ${name} is never ${each}`);
  });
}

function occursIn(sources: string, value: string): boolean {
  return new RegExp(`(?<![\\w-])${value}(?![\\w-])`).test(sources);
}
