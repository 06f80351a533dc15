import { type Access, covers } from '../authentication/credential.js';
import { accessMissing } from '../authentication/refusals.js';
import type { AnyRoute } from '../route.js';
import { type Check, identifiedOf } from './state.js';

export function checkAccess(row: AnyRoute): Check {
  const needed = accessFor(row);
  return (ctx) => {
    const { access } = identifiedOf(ctx.state).caller;
    if (!covers(access, needed)) throw accessMissing(access, needed);
  };
}

/** HEAD is answered by a row of GET. */
function accessFor({ method, access }: AnyRoute): Access {
  return access ?? (method === 'GET' ? 'read' : 'full');
}
