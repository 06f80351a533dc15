import type { Context } from '../context.js';
import { findPrincipal, personalDataView } from '../principal/view.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

export function getPersonalData(context: Context): Handler<'GetPersonalData'> {
  return async ({ principalId }, { environment }) => {
    const principal = await findPrincipal(context.stores[environment].prisma, { id: principalId });
    if (!principal) throw refusal.principalNotFound();
    return personalDataView(principal);
  };
}
