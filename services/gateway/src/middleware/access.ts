import { readAccessOnly } from '../authentication/refusals.js';
import type { AnyRoute } from '../route.js';
import { type Check, identifiedOf } from './state.js';

/** A credential with access `read` opens what changes nothing; HEAD is answered by a row of GET. */
export function checkAccess({ method, changesNothing }: AnyRoute): Check {
  const reads = method === 'GET' || changesNothing === true;
  return (ctx) => {
    if (!reads && identifiedOf(ctx.state).caller.access === 'read') throw readAccessOnly();
  };
}
