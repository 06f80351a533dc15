import type { SettlementDefinition } from './generated/countersign/settlement/v1/Settlement.js';
import { loadService } from './load.js';

export const settlementService = loadService<SettlementDefinition>(
  'settlement',
  'countersign.settlement.v1.Settlement',
);

export type * from './generated/countersign/settlement/v1/index.js';
