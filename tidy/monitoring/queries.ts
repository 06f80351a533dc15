import { parse } from 'yaml';
import type { ProjectFile } from '../tree.js';

export interface Alert {
  alert: string;
  expr: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** A case of `promtool test rules`; only what shows which alerts are expected. */
interface AlertCase {
  alert_rule_test?: Array<{ alertname: string; exp_alerts: unknown[] }>;
  promql_expr_test?: Array<{ expr: string; exp_samples: Array<{ labels: string }> }>;
}

interface RuleGroups {
  groups: Array<{ name: string; rules: Alert[] }>;
}

interface Dashboard {
  panels: Panel[];
  templating: { list: Array<{ name: string; type: string; query: string }> };
}

interface Panel {
  id: number;
  title: string;
  type: string;
  datasource?: { uid: string };
  targets?: Array<{ expr: string; legendFormat: string }>;
}

/** A query, and the labels that the text shown with its result names. */
export interface Query {
  place: string;
  expr: string;
  shown: string[];
}

export function alertsIn(rules: ProjectFile): Alert[] {
  return (parse(rules.text) as RuleGroups).groups.flatMap((group) => group.rules);
}

/** The alerts that fire in a case, whether one names them itself or in its expression. */
export function alertsThatFire(cases: ProjectFile): string[] {
  const { tests } = parse(cases.text) as { tests: AlertCase[] };
  return tests.flatMap(({ alert_rule_test: rules = [], promql_expr_test: queries = [] }) => [
    ...rules.filter(({ exp_alerts: fire }) => fire.length > 0).map(({ alertname }) => alertname),
    ...queries
      .filter(({ exp_samples: results }) => results.length > 0)
      .map(({ expr, exp_samples: results }) => [expr, ...results.map(({ labels }) => labels)])
      .flatMap((texts) => found(texts.join('\n'), /\balertname="(\w+)"/g)),
  ]);
}

export function queriesOfAlerts(rules: ProjectFile): Query[] {
  return alertsIn(rules).map(({ alert, expr, annotations }) => {
    const text = Object.values(annotations).join('\n');
    return { place: `${rules.path}: ${alert}`, expr, shown: found(text, /\$labels\.(\w+)/g) };
  });
}

export function readDashboard({ text }: ProjectFile): Dashboard {
  return JSON.parse(text) as Dashboard;
}

/** Those of the panels and those that fill the variables. */
export function queriesOfDashboard(file: ProjectFile): Query[] {
  const { panels, templating } = readDashboard(file);
  const inPanels = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => {
      const shown = found(legendFormat, /\{\{(\w+)\}\}/g);
      return { place: `${file.path}: ${title}`, expr, shown };
    }),
  );
  const inVariables = templating.list.flatMap(({ name, query }) => {
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
    if (!metric || !label) return [];
    return [{ place: `${file.path}: $${name}`, expr: metric, shown: [label] }];
  });
  return [...inPanels, ...inVariables];
}

/** What the first group of a pattern matches in a text. */
export function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, part]) => part ?? []);
}
