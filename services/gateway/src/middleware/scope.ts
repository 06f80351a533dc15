import { scopeMissing } from '../authentication/refusals.js';
import type { AnyRoute } from '../route.js';
import { type Check, identifiedOf } from './state.js';

/** A path that maps to no scope is open to full access alone. */
export function checkScope(row: AnyRoute): Check {
  return (ctx) => {
    const { scopes } = identifiedOf(ctx.state).caller;
    const allowed = scopes.length === 0 || (row.scope !== null && scopes.includes(row.scope));
    if (!allowed) throw scopeMissing(row.scope);
  };
}
