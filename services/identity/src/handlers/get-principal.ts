import type { Context } from '../context.js';
import { findPrincipal, principalView } from '../principal/view.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

export function getPrincipal(context: Context): Handler<'GetPrincipal'> {
  return async ({ id, clientId }, { environment }) => {
    const principal = await findPrincipal(context.stores[environment].prisma, { id, clientId });
    if (!principal) throw refusal.principalNotFound();
    return principalView(principal, context.clock());
  };
}
