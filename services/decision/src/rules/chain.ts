import type { Rule } from './rule.js';
import { notAllowed } from './wording.js';

/** A mandate may list chains in its crypto terms and in its own list; both must allow the chain. */
export const chain: Rule = {
  name: 'chain',
  codes: ['CHAIN_NOT_ALLOWED'],
  check: ({ payment, mandate }) => {
    if (!payment.crypto || !mandate) return [];
    const asked = payment.crypto.chain;
    const refusing = [mandate.allowedChains, mandate.crypto?.chains ?? []].find(
      (chains) => chains.length > 0 && !chains.includes(asked),
    );
    if (!refusing) return [];
    return [{ code: 'CHAIN_NOT_ALLOWED', detail: notAllowed('chain', asked, refusing) }];
  },
};
