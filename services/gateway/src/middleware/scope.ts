import { scopeMissing } from '../authentication/refusals.js';
import type { Allowed } from '../authentication/scopes.js';
import type { AnyRoute } from '../route.js';
import { type Check, identifiedOf } from './state.js';

/** A path that maps to no scope is open to full access alone. */
export function checkScope(row: AnyRoute): Check {
  return (ctx) => {
    const { scopes } = identifiedOf(ctx.state).caller;
    if (!opens(scopes, row.scope)) throw scopeMissing(row.scope);
  };
}

function opens(scopes: Allowed, scope: string | null): boolean {
  if (scopes === null) return false;
  return scopes.length === 0 || (scope !== null && scopes.includes(scope));
}
