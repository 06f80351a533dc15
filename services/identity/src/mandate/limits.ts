import { currencyExponent, maxAssetDecimals } from '@countersign/kernel/currency';
import { amountProblem, Decimal, plainAmount } from '@countersign/kernel/money';
import type { CreateMandateRequest } from '@countersign/proto/identity';
import type { Report } from '../field-errors.js';
import { refusal } from '../refusal.js';
import type { MandateTerms, Plane } from './terms.js';

type DecimalLike = string | { toString(): string };

/** A program's ceilings. They are numbers in the currency of each mandate, without conversion. */
export interface Ceilings {
  ceilingPerTransaction: DecimalLike | null;
  ceilingDaily: DecimalLike | null;
  ceilingMonthly: DecimalLike | null;
}

export type Limits = Pick<
  MandateTerms,
  | 'maxPerTransaction'
  | 'maxDaily'
  | 'maxMonthly'
  | 'maxDailyCount'
  | 'maxMonthlyCount'
  | 'cryptoMaxTransfer'
>;

interface LimitContext {
  plane: Plane;
  program: Ceilings | null;
  currency: string;
  report: Report;
}

type FieldContext = LimitContext & { field: string };

const maxCount = 2_147_483_647;
const runtimeDecimals = 2;

/** Returns plain decimal strings. Invalid amounts are passed to `report`. */
export function readLimits(request: CreateMandateRequest, context: LimitContext): Limits {
  const { plane, program, report } = context;
  const inLimits = plane === 'onboarding' ? 'limits.' : '';
  const amount = (
    name: string,
    text: string | undefined,
    ceiling: DecimalLike | null | undefined,
  ): string | null => readAmount({ ...context, field: inLimits + name }, text, ceiling ?? null);
  const count = (field: string, value: number | undefined): number | null => {
    if (value === undefined) return null;
    if (value < 1 || value > maxCount) {
      report(field, 'invalid_value', `${field} must be from 1 to ${maxCount}.`);
    }
    return value;
  };
  return {
    maxPerTransaction:
      amount(
        'max_amount_per_transaction',
        request.maxAmountPerTransaction,
        program?.ceilingPerTransaction,
      ) ?? '',
    maxDaily: amount('max_daily_amount', request.maxDailyAmount, program?.ceilingDaily),
    maxMonthly: amount('max_monthly_amount', request.maxMonthlyAmount, program?.ceilingMonthly),
    maxDailyCount: count('max_daily_count', request.maxDailyCount),
    maxMonthlyCount: count('max_monthly_count', request.maxMonthlyCount),
    cryptoMaxTransfer: readMaxTransfer(request, report),
  };
}

/**
 * A limit above the program's ceiling is rejected. An omitted limit becomes the ceiling, as
 * omitting it would otherwise bypass the ceiling.
 */
function readAmount(
  { field, plane, currency, report }: FieldContext,
  text: string | undefined,
  ceiling: DecimalLike | null,
): string | null {
  const exponent = currencyExponent(currency) ?? runtimeDecimals;
  if (text === undefined) {
    if (ceiling === null) return null;
    const limit = new Decimal(ceiling.toString()).toDecimalPlaces(exponent, Decimal.ROUND_DOWN);
    if (limit.gt(0)) return plainAmount(limit);
    const message = `The program's ceiling is below the smallest amount in ${currency}.`;
    refuseAboveCeiling({ field, plane, report }, message);
    return null;
  }
  const decimals = plane === 'runtime' ? Math.min(runtimeDecimals, exponent) : exponent;
  const problem = amountProblem(text, decimals);
  if (problem) {
    report(field, problem, `${field} must be above 0 with at most ${decimals} decimals.`);
    return null;
  }
  if (ceiling !== null && new Decimal(text).gt(ceiling.toString())) {
    const message = `${field} is above the program's ceiling, ${plainAmount(ceiling.toString())}.`;
    refuseAboveCeiling({ field, plane, report }, message);
  }
  return plainAmount(text);
}

/** The onboarding API has a dedicated error code for this, as for its other business rules. */
function refuseAboveCeiling(
  { field, plane, report }: Pick<FieldContext, 'field' | 'plane' | 'report'>,
  message: string,
): void {
  if (plane === 'onboarding') throw refusal.limitAboveCeiling(message);
  report(field, 'limit_above_program_ceiling', message);
}

function readMaxTransfer({ crypto }: CreateMandateRequest, report: Report): string | null {
  if (crypto?.maxTransfer === undefined) return null;
  const problem = amountProblem(crypto.maxTransfer, maxAssetDecimals);
  if (!problem) return plainAmount(crypto.maxTransfer);
  report('crypto.max_transfer', problem, 'crypto.max_transfer must be a decimal above 0.');
  return null;
}
