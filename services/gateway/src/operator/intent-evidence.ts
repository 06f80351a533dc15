import type { z } from 'zod';
import type { Context } from '../context.js';
import type * as answers from './answers.js';
import type { Answer, OperatorRequest } from './route.js';
import type { ofAuthorization } from './schemas.js';

/** What the user and the agent signed, for a dispute; that it was read is in the audit trail. */
export async function getIntentEvidence(
  context: Context,
  request: OperatorRequest<z.output<typeof ofAuthorization>>,
): Promise<Answer<typeof answers.intentEvidence>> {
  const { environment, id } = request.params;
  const evidence = await context.clients.ledger.call.GetIntentEvidence(
    { authorizationId: id },
    request.callOptions(environment),
  );
  const { authorizationId, chainJson, receivedAt } = evidence;
  const body = {
    authorization_id: authorizationId,
    vi_chain: JSON.parse(chainJson),
    received_at: receivedAt,
  };
  return { status: 200, body };
}
