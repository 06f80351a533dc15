import { termsOf } from '../authentication/credential-changes.js';
import { issueCredential } from '../authentication/issue-credential.js';
import { sandboxOnly } from '../checks/sandbox-only.js';
import type { Handler } from '../handler.js';
import type { principalPath } from '../schemas/path.js';

/** A key that always acts for this one Principal. */
export const createSandboxKey: Handler<{ params: typeof principalPath }> = async (
  context,
  request,
) => {
  sandboxOnly(request);
  const { caller, environment, params } = request;
  // 404 where the Principal is not this Client's.
  const principal = await context.clients.identity.call.GetPrincipal(
    { clientId: caller.clientId, id: params.principal_id },
    request.callOptions(),
  );
  const { secret } = await issueCredential(context, {
    kind: 'principal_key',
    clientId: caller.clientId,
    environment,
    principalId: principal.id,
    // Else a key that is bound to some paths and networks could mint its way out of them.
    ...(await termsOf(context, caller.credentialId)),
    label: null,
  });
  return {
    status: 201,
    headers: { 'Cache-Control': 'no-store' },
    body: {
      principal_id: principal.id,
      api_key: secret,
      env: 'sandbox',
      message: 'Keep this key: it is shown once and cannot be recovered.',
    },
  };
};
