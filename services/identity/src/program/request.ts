import { currencyExponent, isCurrency } from '@countersign/kernel/currency';
import { amountProblem } from '@countersign/kernel/money';
import { programStatuses, programVerificationModes, rails } from '@countersign/kernel/vocabulary';
import type {
  LimitCeilingsInput,
  ProgramInput,
  UpdateProgramRequest,
} from '@countersign/proto/identity';
import { FieldErrors, oneOf, type Report } from '../field-errors.js';

type Fields = Omit<UpdateProgramRequest, 'id'>;

/** The values that apply to fields that a request omits. */
type Current = Pick<ProgramInput, 'defaultCurrency' | 'limitCeilings'>;

/** Columns of a program; amounts are decimal strings. */
interface ProgramFields {
  name?: string;
  status?: string;
  rails?: string[];
  verificationMode?: string;
  defaultCurrency?: string;
  ceilingPerTransaction?: string | null;
  ceilingDaily?: string | null;
  ceilingMonthly?: string | null;
  fraudTriageEnabled?: boolean;
  metadataJson?: string;
}

/** The columns that a request sets; omitted fields are absent. Throws 422. */
export function readProgramFields(request: Fields, current: Current): ProgramFields {
  const errors = new FieldErrors('');
  const currency = request.defaultCurrency ?? current.defaultCurrency ?? '';
  if (!isCurrency(currency)) {
    errors.report('default_currency', 'invalid_value', `${currency} is not an ISO 4217 currency.`);
  }
  const decimals = currencyExponent(currency) ?? 2;
  const given = request.limitCeilings ?? null;
  const ceilings = readCeilings(given, decimals, errors.report);
  // Ceilings that are kept must be valid amounts of the new currency too.
  const isOtherCurrency = currency !== current.defaultCurrency;
  if (!given && isOtherCurrency)
    readCeilings(current.limitCeilings ?? null, decimals, errors.report);
  errors.throwIfAny();
  const { name, status, verificationMode: mode, fraudTriageEnabled, metadataJson } = request;
  return {
    name,
    status: status === undefined ? status : oneOf('status', status, programStatuses),
    rails: request.rails.length > 0 ? readRails(request.rails) : undefined,
    verificationMode:
      mode === undefined ? mode : oneOf('verification_mode', mode, programVerificationModes),
    defaultCurrency: request.defaultCurrency === undefined ? undefined : currency,
    ...ceilings,
    fraudTriageEnabled,
    metadataJson,
  };
}

/** Without duplicates, in the order of the vocabulary. */
function readRails(requested: string[]): string[] {
  const known = requested.map((rail) => oneOf('rails', rail, rails));
  return rails.filter((rail) => known.includes(rail));
}

/** The object replaces all ceilings: those that it omits are removed. */
function readCeilings(ceilings: LimitCeilingsInput | null, decimals: number, report: Report) {
  if (ceilings === null) return {};
  const read = (name: string, text: string | undefined): string | null => {
    if (text === undefined) return null;
    const problem = amountProblem(text, decimals);
    const field = `limit_ceilings.${name}`;
    if (problem)
      report(field, problem, `${field} must be above 0 with at most ${decimals} decimals.`);
    return text;
  };
  return {
    ceilingPerTransaction: read('max_amount_per_transaction', ceilings.maxAmountPerTransaction),
    ceilingDaily: read('max_daily_amount', ceilings.maxDailyAmount),
    ceilingMonthly: read('max_monthly_amount', ceilings.maxMonthlyAmount),
  };
}
