/** The specification of a value: a predicate for its type, or the fields of an object. */
export type Shape = ((value: unknown) => boolean) | { readonly [field: string]: Shape };

const pattern = (expression: RegExp) => (value: unknown) =>
  typeof value === 'string' && expression.test(value);

export const text = (value: unknown): boolean => typeof value === 'string';
export const number = (value: unknown): boolean => typeof value === 'number';
export const integer = (value: unknown): boolean => Number.isInteger(value);
export const flag = (value: unknown): boolean => typeof value === 'boolean';
export const money = pattern(/^\d+\.\d{2,}$/);
/** Amounts of assets have no fixed number of decimals. */
export const decimal = pattern(/^\d+(\.\d+)?$/);
export const time = pattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
export const hash = pattern(/^sha256:[0-9a-f]{64}$/);
export const id = (prefix: string) => pattern(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`));
export const exactly = (expected: unknown) => (value: unknown) => value === expected;
export const oneOf =
  (...words: string[]) =>
  (value: unknown) =>
    typeof value === 'string' && words.includes(value);
export const fields = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const orNull = (shape: Shape) => (value: unknown) =>
  value === null || misfits(value, shape).length === 0;
export const listOf = (shape: Shape) => (value: unknown) =>
  Array.isArray(value) && value.every((item) => misfits(item, shape).length === 0);

/** Missing, additional and mistyped parts of a value; nullable fields must be present too. */
export function misfits(value: unknown, shape: Shape, path = ''): string[] {
  if (typeof shape === 'function') {
    return shape(value) ? [] : [`${path || 'value'}: ${JSON.stringify(value)}`];
  }
  if (!fields(value)) return [`${path || 'value'} is no object: ${JSON.stringify(value)}`];
  const given = value as Record<string, unknown>;
  const extra = Object.keys(given).filter((key) => !(key in shape));
  const known = Object.entries(shape).flatMap(([key, part]) =>
    key in given ? misfits(given[key], part, `${path}.${key}`) : [`${path}.${key} is missing`],
  );
  return [...extra.map((key) => `${path}.${key} is not documented`), ...known];
}
