import type { LedgerDefinition } from './generated/countersign/ledger/v1/Ledger.js';
import { loadService } from './load.js';

export const ledgerService = loadService<LedgerDefinition>(
  'ledger',
  'countersign.ledger.v1.Ledger',
);

export type * from './generated/countersign/ledger/v1/index.js';
