import type { Context } from '../context.js';
import { mandateView } from '../mandate/view.js';
import { requireOwnMandate } from '../ownership.js';
import type { Handler } from './handler.js';

export function getMandate(context: Context): Handler<'GetMandate'> {
  return async ({ id, tenant }, { environment }) => {
    const mandate = await context.stores[environment].prisma.mandate.findUnique({ where: { id } });
    return mandateView(requireOwnMandate(mandate, tenant), context.clock());
  };
}
