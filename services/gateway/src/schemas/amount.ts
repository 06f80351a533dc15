import { currencyExponent, maxAssetDecimals } from '@countersign/kernel/currency';
import {
  type AmountProblem,
  amountBound,
  amountProblem,
  Decimal,
  plainAmount,
  tooManyDecimals,
} from '@countersign/kernel/money';
import { z } from 'zod';
import { JsonNumber } from '../json/number.js';
import { report, typeRule } from './rule.js';

const inputForm = {
  anyOf: [
    { type: 'string' as const, pattern: '^(0|[1-9]\\d*)(\\.\\d+)?$' },
    { type: 'number' as const, exclusiveMinimum: 0 },
  ],
};

const messages: Record<AmountProblem, string> = {
  not_decimal: 'must be a plain decimal number, as a string such as "10.00" or as a JSON number',
  not_positive: 'must be greater than 0',
  too_large: 'must be less than 10^15',
  too_many_decimals: 'has too many decimals',
};

/**
 * An amount greater than 0, as a decimal string or a JSON number, read from its source text and
 * never through a double. Comes out as its shortest plain spelling, so "10.00" and 10 are equal.
 */
export function amount(maxDecimals = maxAssetDecimals) {
  return z
    .custom<string | number | JsonNumber>(isNumeric, typeRule('not_decimal', messages.not_decimal))
    .meta({ override: inputForm })
    .transform((input, context) => {
      const text = plainText(input);
      const problem = amountProblem(text, maxDecimals);
      if (!problem) return plainAmount(text);
      const message = problem === 'too_many_decimals' ? tooMany(maxDecimals) : messages[problem];
      report(context, { path: [], type: problem, message });
      return z.NEVER;
    })
    .meta({ override: { ...inputForm, examples: ['10.00'] } });
}

/** Reports an amount with more decimals than its currency has, and nothing else. */
export function checkExponent(
  context: z.RefinementCtx,
  field: { path: Array<string | number>; value: unknown },
  currency: unknown,
): void {
  const exponent = typeof currency === 'string' ? currencyExponent(currency) : undefined;
  if (exponent === undefined || typeof field.value !== 'string') return;
  if (amountProblem(field.value, exponent) !== 'too_many_decimals') return;
  const message = tooManyDecimals(String(currency), exponent);
  report(context, { path: field.path, type: 'too_many_decimals', message });
}

/** A decimal amount in the answer of a single resource. */
export function moneyText(example = '10.00') {
  return z.string().meta({ pattern: '^\\d+(\\.\\d+)?$', examples: [example] });
}

/** An amount in a list or in `limits`. */
export function moneyNumber(example = 10) {
  return z.number().meta({ examples: [example] });
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || value instanceof JsonNumber;
}

/** A string must be plain as it is; a JSON number may be written with an exponent. */
function plainText(input: string | number | JsonNumber): string {
  if (typeof input === 'string') return negative.test(input) ? '0' : input;
  const value = new Decimal(input instanceof JsonNumber ? input.text : input);
  if (value.isNegative()) return '0';
  // Spelled out, an exponent in the thousands would be a text of as many digits.
  if (value.gte(amountBound)) return amountBound.toFixed();
  return value.decimalPlaces() > maxDigits ? tooFine : value.toFixed();
}

const maxDigits = 40;
const tooFine = new Decimal('1e-40').toFixed();

/** A negative amount is called not positive, whichever way it is written. */
const negative = /^-(0|[1-9]\d*)(\.\d+)?$/;

function tooMany(maxDecimals: number): string {
  return `must have at most ${maxDecimals} decimals`;
}
