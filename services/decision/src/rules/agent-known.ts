import type { Finding } from './rule.js';

/**
 * An agent that does not exist and one that is somebody else's are told apart by nothing. There is
 * nothing to judge then, so this is the only rule that ends the walk.
 */
export const agentNotFound: Finding = {
  code: 'AGENT_NOT_FOUND',
  detail: 'no agent of this caller has this agent_id or agent_did, name one of your own agents',
};
