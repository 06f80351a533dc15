import { assetCurrency } from '@countersign/kernel/currency';
import { Decimal } from '@countersign/kernel/money';
import type { MandateFacts } from '../facts/shape.js';
import type { Finding, Rule, Subject } from './rule.js';
import { money, quoted } from './wording.js';

/** Not evaluated if the payment has another currency than the mandate and its limits. */
export const perTransaction: Rule = {
  name: 'per-transaction',
  codes: ['AMOUNT_EXCEEDS_PER_TXN', 'COGNITIVE_LIMIT_APPLIED'],
  check: (subject) => {
    const { mandate, payment, multiplier, zone } = subject;
    if (!mandate || mandate.currency !== payment.currency) return [];
    const exceeded = capsOf(subject, mandate).filter((cap) => cap.asked.gt(allowed(cap, subject)));
    if (exceeded.length === 0) return [];
    const finding: Finding = {
      code: 'AMOUNT_EXCEEDS_PER_TXN',
      detail: exceeded.map((cap) => inWords(cap, allowed(cap, subject))).join('; '),
    };
    if (exceeded.some(({ asked, full }) => asked.gt(full))) return [finding];
    const which = exceeded.length > 1 ? 'those limits' : 'that limit';
    const fulls = exceeded.map(({ full, say }) => say(full)).join(' and ');
    const detail = `the agent's trust zone ${zone} lowers ${which} to ${multiplier} of ${fulls}`;
    return [finding, { code: 'COGNITIVE_LIMIT_APPLIED', detail }];
  },
};

/** The most that the amount may be, or the transfer on chain, each in its own unit. */
interface Cap {
  asked: Decimal;
  /** Before the trust zone lowers it. */
  full: Decimal;
  what: 'transaction' | 'transfer';
  say: (value: Decimal) => string;
}

/**
 * `max_transfer` is in units of the asset. Of an asset that counts as one unit of the currency, the
 * amount is never less than what is transferred, so the amount is compared with it.
 */
function capsOf({ payment, amount }: Subject, mandate: MandateFacts): Cap[] {
  const { currency } = mandate;
  const say = (value: Decimal): string => money(value, currency);
  const limit = new Decimal(mandate.maxAmountPerTransaction);
  const maxTransfer = mandate.crypto?.maxTransfer ?? null;
  const ofAmount = { asked: amount, what: 'transaction', say } as const;
  if (!payment.crypto || maxTransfer === null) return [{ ...ofAmount, full: limit }];
  const { asset, value } = payment.crypto;
  if (assetCurrency(asset) === currency) {
    return [{ ...ofAmount, full: Decimal.min(limit, maxTransfer) }];
  }
  const inAsset = (units: Decimal): string => `${units.toFixed()} ${quoted(asset)}`;
  const asked = new Decimal(value);
  const ofTransfer = { asked, what: 'transfer', say: inAsset } as const;
  return [
    { ...ofAmount, full: limit },
    { ...ofTransfer, full: new Decimal(maxTransfer) },
  ];
}

function allowed({ full }: Cap, { multiplier }: Subject): Decimal {
  return full.mul(multiplier);
}

function inWords({ asked, what, say }: Cap, limit: Decimal): string {
  const over = `${say(asked)} is ${say(asked.sub(limit))} above`;
  return `${over} the limit of ${say(limit)} for one ${what}, send no more than that`;
}
