import { newId } from '@countersign/kernel/id';
import type { Handler } from '../handler.js';
import { createOnce } from '../idempotency/create-once.js';
import { registerPrincipalMessage } from '../messages/principal.js';
import type { registerPrincipal as body } from '../schemas/principal.js';
import { principalView, registrationStatus } from '../views/principal.js';

export const registerPrincipal: Handler<{ body: typeof body }> = (context, request) =>
  createOnce(context, request, {
    operation: 'registerPrincipal',
    mint: () => ({
      principal: newId('principal'),
      verificationSession: newId('verificationSession'),
    }),
    create: async (ids) => {
      const principal = await context.clients.identity.call.RegisterPrincipal(
        registerPrincipalMessage(request.caller.clientId, ids, request.body),
        request.callOptions(),
      );
      return { status: registrationStatus(principal), body: principalView(principal) };
    },
  });
