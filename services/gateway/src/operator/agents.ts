import type { z } from 'zod';
import type { Context } from '../context.js';
import type * as answers from './answers.js';
import type { Answer, OperatorRequest } from './route.js';
import type { ofAgent } from './schemas.js';

/** Whose agent an id names, so that its Client can be told, or the payments stopped. */
export async function findAgent(
  context: Context,
  request: OperatorRequest<z.output<typeof ofAgent>>,
): Promise<Answer<typeof answers.agentOwner>> {
  const { environment, id } = request.params;
  const agent = await context.clients.identity.call.FindAgent(
    { id },
    request.callOptions(environment),
  );
  const body = {
    id: agent.id,
    client_id: agent.clientId,
    principal_id: agent.principalId,
    program_id: agent.programId ?? null,
    status: agent.status,
    trust_level: agent.trustLevel,
    created_at: agent.createdAt,
  };
  return { status: 200, body };
}
