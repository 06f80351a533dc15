import type { Handler } from '../handler.js';
import type { principalPath } from '../schemas/path.js';
import type { enrollPrincipal as body } from '../schemas/principal.js';

/** Enrolling again changes nothing and answers the same. */
export const enrollPrincipal: Handler<{ params: typeof principalPath; body: typeof body }> = async (
  context,
  request,
) => {
  const principal = await context.clients.identity.call.EnrollPrincipal(
    {
      clientId: request.caller.clientId,
      principalId: request.params.principal_id,
      programId: request.body.program_id,
    },
    request.callOptions(),
  );
  return {
    status: 200,
    body: { principal_id: principal.id, programs: principal.programIds },
  };
};
