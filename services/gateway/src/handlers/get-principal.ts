import { Fault } from '@countersign/kernel/fault';
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
    request.callOptions(),
  );
  return { status: 200, body: actingPrincipalView(principal) };
};
