import { type FieldError, ValidationError } from './errors.js';

/** Names of request fields that contain money. */
const moneyFields: ReadonlySet<string> = new Set([
  'amount',
  'value',
  'max_amount_per_transaction',
  'max_daily_amount',
  'max_monthly_amount',
  'max_transfer',
  'settled_amount',
  'step_up_amount_threshold',
  'new_merchant_step_up_amount',
]);

/** Fields that contain free-form objects of the caller, in which these names have no meaning. */
const freeFields: ReadonlySet<string> = new Set([
  'metadata',
  'evidence',
  'runtime_evidence',
  'vi_chain',
  'public_key_jwk',
]);

/**
 * The body with integer amounts as text. A number with decimals is refused, in case it gets past
 * the types: 0.1 + 0.2 is 0.30000000000000004, and the intended amount is unknown.
 */
export function exactAmounts<T>(body: T): T {
  const errors: FieldError[] = [];
  const exact = copied(body, { path: '', errors });
  if (errors.length === 0) return exact as T;
  const message = 'Give amounts as text, such as "19.90": a number may have lost what was meant.';
  throw new ValidationError(message, { code: 'VALIDATION_ERROR', fields: errors });
}

function copied(value: unknown, at: { path: string; errors: FieldError[] }): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // A Date or a decimal of some library: it defines its own JSON.
  if ('toJSON' in value) return value;
  if (Array.isArray(value)) return value.map((item, i) => copied(item, inside(at, String(i))));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (freeFields.has(name)) return [name, member];
      const isMoney = moneyFields.has(name) && typeof member === 'number';
      return [name, isMoney ? exact(member, inside(at, name)) : copied(member, inside(at, name))];
    }),
  );
}

function exact(amount: number, { path, errors }: { path: string; errors: FieldError[] }): string {
  if (!Number.isSafeInteger(amount)) {
    errors.push({ field: path, type: 'not_exact', message: 'must be text, such as "19.90"' });
  }
  return String(amount);
}

function inside({ path, errors }: { path: string; errors: FieldError[] }, name: string) {
  return { path: path === '' ? name : `${path}.${name}`, errors };
}

type Text<T> = T extends number ? string : T;
/** The same type with these amounts as text. */
export type InText<T, K extends keyof T> = Omit<T, K> & { [P in K]: Text<T[P]> };

/**
 * Converts amounts of lists, which the API sends as JSON numbers, to the text that single resources
 * have.
 */
export function inText<T extends object, K extends keyof T>(item: T, ...fields: K[]): InText<T, K> {
  const texts = fields.map((field) => [field, amountText(item[field])] as const);
  return { ...item, ...Object.fromEntries(texts) } as InText<T, K>;
}

const maxDecimals = 18;

/** The shortest decimal notation of this number, without an exponent. */
function amountText(amount: unknown): unknown {
  if (typeof amount !== 'number') return amount;
  const text = String(amount);
  return text.includes('e') ? amount.toFixed(maxDecimals).replace(/\.?0+$/, '') : text;
}
