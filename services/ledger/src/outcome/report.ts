import { isKeptTime } from '@countersign/kernel/clock';
import { currencyExponent } from '@countersign/kernel/currency';
import { amountProblem } from '@countersign/kernel/money';
import { isOutcomeReporter, isOutcomeType } from '@countersign/kernel/outcome-type';
import type { OutcomeReport, RecordedOutcome } from '@countersign/proto/ledger';
import type { MatchedAuthorization } from './match.js';

/** The types for which a report with a later settled_at replaces an earlier one. */
const settlementTypes: ReadonlySet<string> = new Set(['SETTLED', 'CLEARED']);

const amountPattern = /^(0|[1-9]\d{0,14})(\.\d{1,18})?$/;

export function isSettlement(outcomeType: string): boolean {
  return settlementTypes.has(outcomeType);
}

/** Why a report is invalid, as a message for its sender; null if it is valid. */
export function reportProblem(report: OutcomeReport): string | null {
  if (!isOutcomeType(report.outcomeType)) return 'outcome_type is unknown';
  if (!isOutcomeReporter(report.reportedBy)) return 'reported_by is unknown';
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
 * Rejects an amount without settled_currency that has more decimals than the currency of the
 * payment, in which it then is. Amounts of crypto payments are in units of the asset.
 */
export function precisionRefusal(
  { settledAmount, settledCurrency }: OutcomeReport,
  { currency, rail }: Pick<MatchedAuthorization, 'currency' | 'rail'>,
): RecordedOutcome | null {
  if (settledAmount === undefined || settledCurrency !== undefined) return null;
  const decimals = rail === 'CRYPTO' ? undefined : currencyExponent(currency);
  if (decimals === undefined) return null;
  const type = amountProblem(settledAmount, decimals);
  if (type !== 'too_many_decimals') return null;
  const error =
    `settled_amount has too many decimals: the payment was in ${currency}, which has ${decimals};` +
    ' if the amount is in another currency, set settled_currency';
  return { status: 'invalid', error, errorField: 'settled_amount', errorType: type };
}

function isTime(text: string): boolean {
  return isKeptTime(Date.parse(text));
}
