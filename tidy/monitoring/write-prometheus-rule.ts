import { readFileSync, writeFileSync } from 'node:fs';
import { alertsFile, prometheusRule, ruleFile } from './prometheus-rule.js';

/** Compiled files run from dist/tidy/monitoring/. */
const root = new URL('../../../', import.meta.url);

writeFileSync(
  new URL(ruleFile, root),
  prometheusRule(readFileSync(new URL(alertsFile, root), 'utf8')),
);
