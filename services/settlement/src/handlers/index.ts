import type { SettlementDefinition } from '@countersign/proto/settlement';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { listSettlements } from './list-settlements.js';
import { reportSettlement } from './report-settlement.js';

export function handlers(context: Context): Handlers<SettlementDefinition> {
  return {
    ReportSettlement: reportSettlement(context),
    ListSettlements: listSettlements(context),
  };
}
