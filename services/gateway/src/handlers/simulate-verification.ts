import { Fault } from '@countersign/kernel/fault';
import { sandboxOnly } from '../checks/sandbox-only.js';
import type { Handler } from '../handler.js';
import { principalAgents } from '../principal-agents.js';
import type { principalPath } from '../schemas/path.js';
import type { simulateVerification as body } from '../schemas/principal.js';
import { principalView } from '../views/principal.js';

/** What the verification provider would do, on the word of the Client. */
export const simulateVerification: Handler<{
  params: typeof principalPath;
  body: typeof body;
}> = async (context, request) => {
  sandboxOnly(request);
  const { identity } = context.clients;
  const { clientId } = request.caller;
  const id = request.params.principal_id;
  const current = await identity.call.GetPrincipal({ clientId, id }, request.callOptions());
  if (current.verificationStatus !== 'PENDING') {
    throw new Fault('invalid', {
      code: 'verification_not_pending',
      message: `The verification is ${current.verificationStatus}, not PENDING.`,
    });
  }
  // Before the update, which cannot be repeated: after it nothing may fail any more.
  const { agents } = await principalAgents(context, request, { clientId, principalId: id });
  const principal = await identity.call.UpdatePrincipal(
    { id, clientId, verificationStatus: request.body.result },
    request.callOptions(),
  );
  return { status: 200, body: principalView(principal, agents) };
};
