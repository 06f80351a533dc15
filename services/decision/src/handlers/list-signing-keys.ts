import type { DecisionHandlers } from './handler.js';

/** Nothing is attested yet, so there is no key to publish. */
export function listSigningKeys(): DecisionHandlers['ListSigningKeys'] {
  return async () => ({ keys: [] });
}
