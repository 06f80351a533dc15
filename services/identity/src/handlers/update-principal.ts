import { applyChange, principalChange, recordChanges } from '../change.js';
import type { Context } from '../context.js';
import { lockPrincipal } from '../lock.js';
import { readResolution, resolveVerification } from '../principal/resolve.js';
import { findPrincipal, principalView } from '../principal/view.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

/** Called by the operator, by the verification provider and, in sandbox, by a client. */
export function updatePrincipal(context: Context): Handler<'UpdatePrincipal'> {
  return async (request, call) => {
    const nowMs = context.clock();
    const { clientId } = request;
    const notFound = (): Error =>
      clientId === undefined
        ? refusal.principalNotFound()
        : refusal.principalNotFoundWhileOnboarding();
    const principal = await applyChange(context, call, async (tx) => {
      const resolution = await readResolution(tx, request);
      if (!resolution) throw notFound();
      await lockPrincipal(tx, resolution.principalId);
      const where = { id: resolution.principalId, ...(clientId !== undefined && { clientId }) };
      const current = await findPrincipal(tx, where);
      if (!current) throw notFound();
      const changed = await resolveVerification(tx, {
        current,
        resolution,
        nowMs,
        config: context.config,
      });
      if (!changed) return { result: current, fencedIds: [current.id] };
      const changes = [principalChange(changed)];
      await recordChanges(tx, { ...call, nowMs }, { changes, fence: true });
      return { result: changed, fencedIds: [changed.id] };
    });
    return principalView(principal, nowMs);
  };
}
