import type { IdentityDefinition } from './generated/countersign/identity/v1/Identity.js';
import { loadService } from './load.js';

export const identityService = loadService<IdentityDefinition>(
  'identity',
  'countersign.identity.v1.Identity',
);

export type * from './generated/countersign/identity/v1/index.js';
