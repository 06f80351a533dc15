import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { anchorOf } from '../links.js';
import type { Finding, ProjectFile } from '../tree.js';
import { alertsIn, alertsThatFire, found, readDashboard } from './queries.js';

/** Compiled files run from dist/tidy/monitoring/. */
const folder = fileURLToPath(new URL('../../../deploy/monitoring/', import.meta.url));

/** What a person who is called at night would miss. */
export function alertMistakes(rules: ProjectFile, guide: ProjectFile): Finding[] {
  const all = alertsIn(rules);
  const chapterName = `"Alerts" in ${guide.path}`;
  const chapter = guide.text.split(/^## Alerts$/m)[1]?.split(/^## /m)[0] ?? '';
  const sections = found(chapter, /^### (.+)$/gm).map(anchorOf);
  const linked = all.map(({ annotations }) => annotations.runbook_url?.split('#')[1] ?? '');
  const names = all.map(({ alert }) => alert);
  return [
    ...all.flatMap(({ alert, labels, annotations: { summary, description, runbook_url: url } }) => [
      ...(['critical', 'warning'].includes(labels.severity ?? '') ? [] : [`${alert}: severity`]),
      ...(summary && description ? [] : [`${alert}: summary or description`]),
      ...(url?.includes(`/${guide.path}#`) ? [] : [`${alert}: its link is not to ${guide.path}`]),
      ...(chapter.includes(`\`${alert}\``) ? [] : [`${alert}: ${chapterName} does not name it`]),
    ]),
    ...linked
      .filter((anchor) => !sections.includes(anchor))
      .map((each) => `${chapterName}: no section #${each}, which an alert links to`),
    ...sections
      .filter((anchor) => !linked.includes(anchor))
      .map((each) => `${chapterName}: no alert links to #${each}`),
    ...found(chapter, /`(Countersign[A-Z]\w*)`/g)
      .filter((name) => !names.includes(name))
      .map((name) => `${chapterName}: there is no alert ${name}`),
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `two alerts ${name}`),
  ];
}

/** Alerts that fire in no case: nobody would notice if they never could. */
export function untestedAlerts(rules: ProjectFile, cases: ProjectFile): Finding[] {
  const fire = new Set(alertsThatFire(cases));
  return alertsIn(rules)
    .filter(({ alert }) => !fire.has(alert))
    .map(({ alert }) => `${cases.path}: ${alert} fires in no case`);
}

/** Panels that ask nothing, or another data source than the one chosen in the dashboard. */
export function dashboardMistakes(file: ProjectFile): Finding[] {
  const { panels, templating } = readDashboard(file);
  const ids = panels.map(({ id }) => id);
  const asked = panels.filter(({ type }) => type !== 'row');
  return [
    ...(templating.list.some(({ type }) => type === 'datasource') ? [] : ['no data source']),
    ...(new Set(ids).size === ids.length ? [] : ['two panels have one id']),
    ...asked
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own notation.
      .filter(({ datasource, targets = [] }) => datasource?.uid !== '${datasource}' || !targets[0])
      .map(({ title }) => `${title}: it asks nothing, or another data source`),
  ].map((what) => `${file.path}: ${what}`);
}

/** What promtool says of the rules and of their tests; null if it is not installed. */
export function promtoolSays(): string | null {
  try {
    const checked = promtool(['check', 'rules', 'alerts.yaml']);
    return checked + promtool(['test', 'rules', 'alerts.test.yaml']);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function promtool(words: string[]): string {
  const options = { cwd: folder, stdio: 'pipe', timeout: 60_000 } as const;
  return execFileSync('promtool', words, options).toString();
}
