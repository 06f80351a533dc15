import type { Rule } from './rule.js';

export const agentStatus: Rule = {
  name: 'agent-status',
  codes: ['AGENT_SUSPENDED', 'AGENT_REVOKED'],
  check: ({ agent }) => {
    if (agent.status === 'ACTIVE') return [];
    if (agent.status === 'REVOKED') {
      return [
        {
          code: 'AGENT_REVOKED',
          detail: 'the agent is permanently revoked, its principal must use another one',
        },
      ];
    }
    return [
      {
        code: 'AGENT_SUSPENDED',
        detail: 'the agent is suspended, its principal must set it to ACTIVE first',
      },
    ];
  },
};
