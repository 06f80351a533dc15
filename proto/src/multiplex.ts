import type { MultiplexDefinition } from './generated/countersign/v1/Multiplex.js';
import { loadService } from './load.js';

export const multiplexService = loadService<MultiplexDefinition>(
  'multiplex',
  'countersign.v1.Multiplex',
);

export type * from './generated/countersign/v1/index.js';
