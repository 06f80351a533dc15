import { applyChange, mandateChange, recordChanges } from '../change.js';
import type { Context } from '../context.js';
import { lockMandate } from '../lock.js';
import { mandateView } from '../mandate/view.js';
import { requireOwnMandate } from '../ownership.js';
import type { Handler } from './handler.js';

/** Idempotent: a repeated call also waits until the ledger has accepted the fence. */
export function revokeMandate(context: Context): Handler<'RevokeMandate'> {
  return async ({ id, tenant }, call) => {
    const nowMs = context.clock();
    const mandate = await applyChange(context, call, async (tx) => {
      await lockMandate(tx, id);
      const current = requireOwnMandate(await tx.mandate.findUnique({ where: { id } }), tenant);
      if (current.status === 'REVOKED') return { result: current, fencedIds: [id] };
      const revoked = await tx.mandate.update({
        where: { id },
        data: { status: 'REVOKED', version: { increment: 1 }, revokedAt: new Date(nowMs) },
      });
      const changes = [mandateChange(revoked)];
      await recordChanges(tx, { ...call, nowMs }, { changes, fence: true });
      return { result: revoked, fencedIds: [id] };
    });
    return mandateView(mandate, nowMs);
  };
}
