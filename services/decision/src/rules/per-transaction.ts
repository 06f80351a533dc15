import { Decimal } from '@countersign/kernel/money';
import type { MandateFacts } from '../facts-shape.js';
import type { Finding, Rule, Subject } from './rule.js';
import { money } from './wording.js';

/** Not evaluated if the payment has another currency than the mandate and its limits. */
export const perTransaction: Rule = {
  name: 'per-transaction',
  codes: ['AMOUNT_EXCEEDS_PER_TXN', 'COGNITIVE_LIMIT_APPLIED'],
  check: (subject) => {
    const { mandate, payment, amount, multiplier, zone } = subject;
    if (!mandate || mandate.currency !== payment.currency) return [];
    const full = transactionLimit(subject, mandate);
    const limit = full.mul(multiplier);
    if (amount.lte(limit)) return [];
    const { currency } = mandate;
    const over = money(amount.sub(limit), currency);
    const allowed = `the limit of ${money(limit, currency)} for one transaction`;
    const exceeded: Finding = {
      code: 'AMOUNT_EXCEEDS_PER_TXN',
      detail: `${money(amount, currency)} is ${over} above ${allowed}, send no more than that`,
    };
    if (amount.gt(full)) return [exceeded];
    const lowered = `the agent's trust zone ${zone} lowers that limit`;
    const detail = `${lowered} to ${multiplier} of ${money(full, currency)}`;
    return [exceeded, { code: 'COGNITIVE_LIMIT_APPLIED', detail }];
  },
};

function transactionLimit({ payment }: Subject, mandate: MandateFacts): Decimal {
  const limit = new Decimal(mandate.maxAmountPerTransaction);
  const maxTransfer = mandate.crypto?.maxTransfer ?? null;
  if (payment.rail !== 'CRYPTO' || maxTransfer === null) return limit;
  return Decimal.min(limit, maxTransfer);
}
