import type { ReverseResponse } from '@countersign/proto/ledger';
import { moneyNumber } from './money.js';

export function reversalView(reversal: ReverseResponse) {
  return {
    authorization_id: reversal.authorizationId,
    reversed: reversal.reversed,
    released_amount: moneyNumber(reversal.releasedAmount || '0', null),
    partial: reversal.partial,
    already_reversed: reversal.alreadyReversed,
    message: message(reversal),
  };
}

function message({ reversed, partial, alreadyReversed, decision }: ReverseResponse): string {
  if (alreadyReversed) return 'All of its amount was released before; no amount is released now.';
  if (!reversed) return `Nothing was reserved: the decision is ${decision}.`;
  return partial
    ? 'This amount is released; the transaction still counts.'
    : 'The authorization is reversed; its amount and count are released.';
}
