import { perEnvironment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import type { Pool } from '@countersign/runtime/database';
import type { Context } from '../context.js';
import { profileMessage } from '../profile/message.js';
import { unpackState } from '../profile/packed-state.js';
import { profileSql } from '../sql.js';
import { Turns } from '../turns.js';
import type { DecisionHandlers } from './handler.js';

const maxAgents = 500;
/** The largest page of `GET /agents`. */
const maxBeside = 100;
const busy = 'Other long lists of agents are being read; try again.';

interface ProfileRow {
  agent_id: string;
  content: string;
}

/**
 * One profile per id, in the order of the request. The caller has checked who owns the agents. Long
 * lists are read one at a time, because each takes a connection, and time to unpack, from payments.
 */
export function getAgentProfiles(context: Context): DecisionHandlers['GetAgentProfiles'] {
  const turns = perEnvironment(() => new Turns(busy));
  return async ({ agentIds }, { environment, deadlineAt }) => {
    if (agentIds.length > maxAgents) {
      throw new Fault('malformed', {
        code: 'BAD_REQUEST',
        message: `At most ${maxAgents} agents.`,
      });
    }
    const { pool } = context.stores[environment];
    const read = () => readProfiles(pool, agentIds);
    if (agentIds.length <= maxBeside) return await read();
    return await turns[environment].run('profiles', deadlineAt, read);
  };
}

async function readProfiles(pool: Pool, agentIds: readonly string[]) {
  const { rows } = await pool.query<ProfileRow>(profileSql.find, [agentIds]);
  const states = new Map(rows.map(({ agent_id, content }) => [agent_id, unpackState(content)]));
  return { profiles: agentIds.map((id) => profileMessage(id, states.get(id) ?? null)) };
}
