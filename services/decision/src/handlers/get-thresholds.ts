import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Context } from '../context.js';
import { thresholdsMessage } from '../thresholds/message.js';
import { readOverrides } from '../thresholds/store.js';
import type { DecisionHandlers } from './handler.js';

export function getThresholds(context: Context): DecisionHandlers['GetThresholds'] {
  return async (request, call) => {
    const { prisma } = context.stores[call.environment];
    return thresholdsMessage(await readOverrides(prisma, tenantOf(request).principalId));
  };
}
