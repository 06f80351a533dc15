import type { Finding } from './rule.js';

/**
 * The same for an agent that does not exist and one of another tenant. No other rule is evaluated,
 * since there are no facts.
 */
export const agentNotFound: Finding = {
  code: 'AGENT_NOT_FOUND',
  detail: 'no agent of this caller has this agent_id or agent_did, name one of your own agents',
};
