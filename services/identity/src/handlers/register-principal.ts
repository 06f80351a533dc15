import type { Context } from '../context.js';
import { createOnce } from '../create-once.js';
import { findRegistered, insertPrincipal, registrationRefusal } from '../principal/register.js';
import { principalView } from '../principal/view.js';
import type { Handler } from './handler.js';

export function registerPrincipal(context: Context): Handler<'RegisterPrincipal'> {
  return async (request, { environment }) => {
    const { prisma } = context.stores[environment];
    const nowMs = context.clock();
    const principal = await createOnce({
      find: () => findRegistered(prisma, request),
      create: () =>
        prisma.$transaction((tx) =>
          insertPrincipal(tx, request, { config: context.config, nowMs, fieldPrefix: '' }),
        ),
      refuse: registrationRefusal,
    });
    return principalView(principal, nowMs);
  };
}
