import type { Rule } from './rule.js';
import { notAllowed } from './wording.js';

const evmAddress = /^0x[0-9a-f]{40}$/i;

/** The case of an EVM address is only a checksum; other addresses are case-sensitive. */
export function comparedAddress(address: string): string {
  return evmAddress.test(address) ? address.toLowerCase() : address;
}

export const counterparty: Rule = {
  name: 'counterparty',
  codes: ['COUNTERPARTY_NOT_ALLOWED'],
  check: ({ payment, mandate }) => {
    const allowed = mandate?.allowedCounterparties ?? [];
    if (!payment.crypto || allowed.length === 0) return [];
    const asked = payment.crypto.counterparty;
    if (allowed.map(comparedAddress).includes(comparedAddress(asked))) return [];
    const detail = notAllowed('counterparty', asked, allowed);
    return [{ code: 'COUNTERPARTY_NOT_ALLOWED', detail }];
  },
};
