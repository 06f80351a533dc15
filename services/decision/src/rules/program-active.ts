import type { Rule } from './rule.js';

export const programActive: Rule = {
  name: 'program-active',
  codes: ['PROGRAM_SUSPENDED'],
  check: ({ program }) => {
    if (!program || program.status === 'ACTIVE') return [];
    const now = `the agent's program is ${program.status}`;
    const detail = `${now}, its operator must make it ACTIVE first`;
    return [{ code: 'PROGRAM_SUSPENDED', detail }];
  },
};
