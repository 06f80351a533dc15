import { Fault } from '@countersign/kernel/fault';
import type { Context } from '../context.js';
import { profileMessage } from '../profile/message.js';
import { unpackState } from '../profile/packed-state.js';
import { profileSql } from '../sql.js';
import type { DecisionHandlers } from './handler.js';

const maxAgents = 500;

interface ProfileRow {
  agent_id: string;
  content: string;
}

/** One profile per id, in the order of the request. The caller has checked who owns the agents. */
export function getAgentProfiles(context: Context): DecisionHandlers['GetAgentProfiles'] {
  return async ({ agentIds }, call) => {
    if (agentIds.length > maxAgents) {
      throw new Fault('malformed', {
        code: 'BAD_REQUEST',
        message: `At most ${maxAgents} agents.`,
      });
    }
    const { pool } = context.stores[call.environment];
    const { rows } = await pool.query<ProfileRow>(profileSql.find, [agentIds]);
    const states = new Map(rows.map(({ agent_id, content }) => [agent_id, unpackState(content)]));
    const profiles = agentIds.map((id) => profileMessage(id, states.get(id) ?? null));
    return { profiles };
  };
}
