import { oneOf } from '@countersign/kernel/one-of';
import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

/** How every value is checked: what no schema words itself reads like what they do. */
export const inWords = { error: plainMessage };

const kinds: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

/** Follows the name of a field, for whoever cannot look the rule up: a model, or a tired human. */
function plainMessage(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ? `must be ${kinds[issue.expected]}` : 'is not valid';
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map(String))}`;
    case 'too_small':
      return bounded(issue.origin, 'at least', Number(issue.minimum));
    case 'too_big':
      return bounded(issue.origin, 'at most', Number(issue.maximum));
    case 'invalid_format':
      return 'does not have the form that is asked for';
    default:
      return 'is not valid';
  }
}

function bounded(origin: string, word: string, bound: number): string {
  if (origin === 'string') return `must have ${word} ${counted(bound, 'character')}`;
  if (origin === 'array') return `must have ${word} ${counted(bound, 'item')}`;
  return `must be ${word} ${bound}`;
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
