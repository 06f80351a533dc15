import { perEnvironment } from '@countersign/kernel/environment';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Context } from '../context.js';
import { readChanges } from '../thresholds/changes.js';
import { thresholdsMessage } from '../thresholds/message.js';
import { changeOverrides } from '../thresholds/store.js';
import { Turns } from '../turns.js';
import type { DecisionHandlers } from './handler.js';

const busy = 'The thresholds are being changed by others; try again.';

/**
 * Applies all changes or none; the resulting values must be consistent. Changes of one Principal
 * would wait for each other in the database too, but each with a connection, and the payments of
 * all Principals need those.
 */
export function putThresholds(context: Context): DecisionHandlers['PutThresholds'] {
  const turns = perEnvironment(() => new Turns(busy));
  return async ({ tenant, changesJson }, call) => {
    const { environment, deadlineAt } = call;
    const { prisma } = context.stores[environment];
    const { principalId } = tenantOf({ tenant });
    const changes = readChanges(changesJson);
    const { overrides, changed } = await turns[environment].run(principalId, deadlineAt, () =>
      changeOverrides(prisma, principalId, changes),
    );
    return { fieldsChanged: changed, thresholds: thresholdsMessage(overrides) };
  };
}
