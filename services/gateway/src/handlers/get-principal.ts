import { Fault } from '@countersign/kernel/fault';
import { callOptions } from '../call-options.js';
import type { Handler } from '../handler.js';
import type { principalPath } from '../schemas/path.js';
import { actingPrincipalView } from '../views/principal.js';

/** Only the acting Principal reads itself; every other id is refused alike, known or not. */
export const getPrincipal: Handler<{ params: typeof principalPath }> = async (context, request) => {
  const { clientId, principalId } = request.tenant;
  if (request.params.principal_id !== principalId) {
    throw new Fault('forbidden', {
      code: 'TENANT_MISMATCH',
      message: 'Only the acting Principal can be read.',
    });
  }
  const principal = await context.clients.identity.call.GetPrincipal(
    { clientId, id: principalId },
    callOptions(context, request),
  );
  return { status: 200, body: actingPrincipalView(principal) };
};
