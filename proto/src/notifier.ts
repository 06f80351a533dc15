import type { NotifierDefinition } from './generated/countersign/notifier/v1/Notifier.js';
import { loadService } from './load.js';

export const notifierService = loadService<NotifierDefinition>(
  'notifier',
  'countersign.notifier.v1.Notifier',
);

export type * from './generated/countersign/notifier/v1/index.js';
