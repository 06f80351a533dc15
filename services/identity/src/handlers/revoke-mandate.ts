import { applyChange, recordChanges } from '../change.js';
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
      const { agentId, version, clientId, principalId } = revoked;
      const change = { entityId: id, agentId, version, clientId, principalId };
      await recordChanges(
        tx,
        { ...call, nowMs },
        { changes: [{ entity: 'mandate', ...change }], fence: true },
      );
      return { result: revoked, fencedIds: [id] };
    });
    return mandateView(mandate, nowMs);
  };
}
