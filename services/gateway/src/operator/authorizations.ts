import type { z } from 'zod';
import type { Context } from '../context.js';
import type * as answers from './answers.js';
import type { Answer, OperatorRequest } from './route.js';
import type { ofAuthorization } from './schemas.js';

/** Whose authorization an id names, so that it can be read on behalf of its Principal. */
export async function findAuthorization(
  context: Context,
  request: OperatorRequest<z.output<typeof ofAuthorization>>,
): Promise<Answer<typeof answers.authorizationOwner>> {
  const { environment, id } = request.params;
  const owner = await context.clients.ledger.call.FindOwner(
    { authorizationId: id },
    request.callOptions(environment),
  );
  const body = {
    id: owner.authorizationId,
    client_id: owner.clientId,
    principal_id: owner.principalId,
    agent_id: owner.agentId ?? null,
    created_at: owner.createdAt,
  };
  return { status: 200, body };
}
