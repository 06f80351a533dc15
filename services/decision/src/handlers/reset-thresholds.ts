import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Context } from '../context.js';
import { thresholdsMessage } from '../thresholds/message.js';
import { clearOverrides } from '../thresholds/store.js';
import type { DecisionHandlers } from './handler.js';

export function resetThresholds(context: Context): DecisionHandlers['ResetThresholds'] {
  return async (request, call) => {
    await clearOverrides(context.stores[call.environment].prisma, tenantOf(request).principalId);
    return thresholdsMessage({});
  };
}
