import { isKeptTime } from '@countersign/kernel/clock';
import { currencyExponent } from '@countersign/kernel/currency';
import { amountProblem } from '@countersign/kernel/money';
import type { OutcomeReport, RecordedOutcome } from '@countersign/proto/ledger';
import type { Matched } from './match.js';

/** The types whose later report corrects the earlier one, by settled_at. */
const settlementTypes: ReadonlySet<string> = new Set(['SETTLED', 'CLEARED']);

export const outcomeTypes: readonly string[] = [
  'SETTLED',
  'CLEARED',
  'CHARGEBACK',
  'CONFIRMED_FRAUD',
  'DISPUTE_RESOLVED',
  'PRINCIPAL_CONFIRMED_UNAUTHORIZED',
  'PRINCIPAL_CONFIRMED_LEGITIMATE',
  'MERCHANT_COMPLAINT',
  'FALSE_POSITIVE_REPORTED',
];

const reporters: ReadonlySet<string> = new Set(['PRINCIPAL', 'ISSUER', 'MERCHANT', 'INTERNAL']);
const amountPattern = /^(0|[1-9]\d{0,14})(\.\d{1,18})?$/;

export function isSettlement(outcomeType: string): boolean {
  return settlementTypes.has(outcomeType);
}

/** Why a report cannot be taken, in words for its reporter; null when it can. */
export function reportProblem(report: OutcomeReport): string | null {
  if (!outcomeTypes.includes(report.outcomeType)) return 'outcome_type is unknown';
  if (!reporters.has(report.reportedBy)) return 'reported_by is unknown';
  if (!isTime(report.reportedAt)) return 'reported_at is not a time';
  if (report.settledAt !== undefined && !isTime(report.settledAt)) {
    return 'settled_at is not a time';
  }
  if (report.settledAmount !== undefined && !amountPattern.test(report.settledAmount)) {
    return 'settled_amount is not an amount';
  }
  const named =
    report.authorizationId || report.networkRrn || report.txHash || report.clientReference;
  return named ? null : 'the report names no authorization';
}

/**
 * An amount without a currency is in that of its payment and may be no finer, or it would be put on
 * record as an amount that there is not. Where an asset was moved it counts in units of that.
 */
export function tooFine(
  { settledAmount, settledCurrency }: OutcomeReport,
  { currency, rail }: Pick<Matched, 'currency' | 'rail'>,
): RecordedOutcome | null {
  if (settledAmount === undefined || settledCurrency !== undefined) return null;
  const decimals = rail === 'CRYPTO' ? undefined : currencyExponent(currency);
  if (decimals === undefined) return null;
  const type = amountProblem(settledAmount, decimals);
  if (type !== 'too_many_decimals') return null;
  const error =
    `settled_amount has too many decimals: the payment was in ${currency}, which has ${decimals};` +
    ' name the currency in settled_currency where it is another';
  return { status: 'invalid', error, errorField: 'settled_amount', errorType: type };
}

function isTime(text: string): boolean {
  return isKeptTime(Date.parse(text));
}
