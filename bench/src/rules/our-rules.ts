import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serviceFolder } from '@countersign/tools/folders';
import type { Judge } from './judge.js';

interface Evaluate {
  evaluate(facts: object): { decision: string };
}

interface Table {
  defaultThresholds: object;
}

interface BaseCase {
  payment: object;
  mandates: [object];
}

/**
 * The evaluation as compiled in the decision service, with all of its rules and scores. Loaded by
 * path: this is the one place that imports code of a service instead of calling its process.
 */
export async function ourRules(): Promise<Judge> {
  const folder = serviceFolder('decision');
  const load = (file: string): Promise<unknown> =>
    import(pathToFileURL(join(folder, 'dist', file)).href);
  const { evaluate } = (await load('evaluate.js')) as Evaluate;
  const { defaultThresholds } = (await load('thresholds/table.js')) as Table;
  const text = readFileSync(join(folder, 'cases/base.json'), 'utf8');
  const base = JSON.parse(text) as BaseCase;
  const mandate = {
    ...base.mandates[0],
    allowedMccs: ['5411', '5812', '5912'],
    allowedCountries: ['USA', 'CAN', 'GBR'],
  };
  return {
    name: 'Countersign, with scores',
    approves: ({ amount, mcc, country }) => {
      const payment = { ...base.payment, amount, mcc, country };
      const facts = { ...base, payment, mandates: [mandate], thresholds: defaultThresholds };
      return Promise.resolve(evaluate(facts).decision === 'APPROVE');
    },
  };
}
