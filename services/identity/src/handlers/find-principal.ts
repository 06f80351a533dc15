import type { Context } from '../context.js';
import { findPrincipal as find, principalView } from '../principal/view.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

/** Not restricted to a Client: only the operator asks, who has no more than the id. */
export function findPrincipal(context: Context): Handler<'FindPrincipal'> {
  return async ({ id }, { environment }) => {
    const principal = await find(context.stores[environment].prisma, { id });
    if (!principal) throw refusal.principalNotFound();
    return principalView(principal, context.clock());
  };
}
