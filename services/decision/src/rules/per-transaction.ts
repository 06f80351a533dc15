import { assetCurrency, currencyExponent, maxAssetDecimals } from '@countersign/kernel/currency';
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
      detail: exceeded.map((cap) => inWords(cap, subject)).join('; '),
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
  /** As many as may be sent. */
  decimals: number;
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
  const decimals = currencyExponent(currency) ?? maxAssetDecimals;
  const ofAmount = { asked: amount, decimals, what: 'transaction', say } as const;
  if (!payment.crypto || maxTransfer === null) return [{ ...ofAmount, full: limit }];
  const { asset, value } = payment.crypto;
  if (assetCurrency(asset) === currency) {
    return [{ ...ofAmount, full: Decimal.min(limit, maxTransfer) }];
  }
  const inAsset = (units: Decimal): string => `${units.toFixed()} ${quoted(asset)}`;
  const ofTransfer = { decimals: maxAssetDecimals, what: 'transfer', say: inAsset } as const;
  return [
    { ...ofAmount, full: limit },
    { ...ofTransfer, asked: new Decimal(value), full: new Decimal(maxTransfer) },
  ];
}

function allowed({ full }: Cap, { multiplier }: Subject): Decimal {
  return full.mul(multiplier);
}

/** Names the most that can be sent, which is less than a limit that has more decimals. */
function inWords(cap: Cap, subject: Subject): string {
  const { asked, decimals, what, say } = cap;
  const limit = allowed(cap, subject).toDecimalPlaces(decimals, Decimal.ROUND_DOWN);
  if (limit.isZero()) {
    const inZone = subject.multiplier < 1 ? ` in trust zone ${subject.zone}` : '';
    return `no ${what} passes${inZone}, the limit for one is ${say(limit)}`;
  }
  const over = `${say(asked)} is ${say(asked.sub(limit))} above`;
  return `${over} the limit of ${say(limit)} for one ${what}, send no more than that`;
}
