import { applyChange, principalChange, recordChanges } from '../change.js';
import type { Context } from '../context.js';
import { lockPrincipal } from '../lock.js';
import { erase } from '../principal/erase.js';
import { principalView } from '../principal/view.js';
import type { Handler } from './handler.js';

/** Once it has answered, no agent of the principal can pay: it is not verified any more. */
export function erasePersonalData(context: Context): Handler<'ErasePersonalData'> {
  return async ({ principalId: id }, call) => {
    const nowMs = context.clock();
    const principal = await applyChange(context, call, async (tx) => {
      await lockPrincipal(tx, id);
      const erased = await erase(tx, { id, nowMs });
      const changes = [principalChange(erased)];
      await recordChanges(tx, { ...call, nowMs }, { changes, fence: true });
      return { result: erased, fencedIds: [id] };
    });
    return principalView(principal, nowMs);
  };
}
