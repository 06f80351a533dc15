import type { DecisionDefinition } from './generated/countersign/decision/v1/Decision.js';
import { loadService } from './load.js';

export const decisionService = loadService<DecisionDefinition>(
  'decision',
  'countersign.decision.v1.Decision',
);

export type * from './generated/countersign/decision/v1/index.js';
