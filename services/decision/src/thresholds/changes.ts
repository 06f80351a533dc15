import { maxCurrencyDecimals } from '@countersign/kernel/currency';
import { Fault, type FieldError } from '@countersign/kernel/fault';
import { isRecord } from '@countersign/kernel/is-record';
import { amountProblem } from '@countersign/kernel/money';
import { type ThresholdRow, type Thresholds, thresholdTable } from '@countersign/kernel/threshold';
import { type Overrides, resolveThresholds, thresholdOrders } from './table.js';

export interface ThresholdChange {
  overrides: Overrides;
  /** Public names of the thresholds whose resolved value changed. */
  changed: string[];
}

/** The changes of a call, as JSON. */
export function readChanges(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Fault('malformed', { code: 'BAD_REQUEST', message: 'Not readable as JSON.', cause });
  }
}

/**
 * Applies all changes, or throws a Fault with every problem at once. The order of thresholds is
 * checked on the resulting values.
 */
export function applyChanges(current: Overrides, changes: unknown): ThresholdChange {
  const members = asMembers(changes);
  const errors: FieldError[] = [];
  const overrides = { ...current };
  for (const [field, value] of members) {
    const row = thresholdTable.find((candidate) => candidate.field === field);
    const problem = row ? problemOf(row, value) : unknownField(field);
    if (problem) errors.push(problem);
    else if (value === null) delete overrides[field];
    else overrides[field] = value as number | string;
  }
  if (errors.length > 0) throw invalid('Not every value is valid; nothing was changed.', errors);
  const sent = new Set(members.map(([field]) => field));
  const disorder = orderProblems(resolveThresholds(overrides), sent);
  if (disorder.length > 0) {
    throw invalid('The thresholds would not be consistent; nothing was changed.', disorder);
  }
  return { overrides, changed: changedFields(current, overrides) };
}

function invalid(message: string, errors: FieldError[]): Fault {
  return new Fault('invalid', { code: 'VALIDATION_ERROR', message, errors });
}

function asMembers(changes: unknown): Array<[field: string, value: unknown]> {
  const members = isRecord(changes) ? Object.entries(changes) : [];
  if (members.length > 0) return members;
  throw new Fault('malformed', { code: 'BAD_REQUEST', message: 'Name at least one threshold.' });
}

function unknownField(field: string): FieldError {
  return { field, message: `${field} is not a threshold`, type: 'unrecognized_keys' };
}

function problemOf(row: ThresholdRow, value: unknown): FieldError | null {
  if (value === null) return null;
  const { field } = row;
  if (row.kind === 'amount') {
    const problem =
      typeof value === 'string' ? amountProblem(value, maxCurrencyDecimals) : 'not_decimal';
    if (problem === null) return null;
    if (problem === 'too_many_decimals') {
      return {
        field,
        message: `${field} must have at most ${maxCurrencyDecimals} decimals`,
        type: problem,
      };
    }
    return { field, message: `${field} must be a positive amount or null`, type: 'invalid_type' };
  }
  if (typeof value !== 'number' || (row.kind === 'integer' && !Number.isInteger(value))) {
    const what = row.kind === 'integer' ? 'an integer' : 'a number';
    return { field, message: `${field} must be ${what} or null`, type: 'invalid_type' };
  }
  const message = `${field} must be from ${row.min} to ${row.max}`;
  if (value < row.min) return { field, message, type: 'too_small' };
  if (value > row.max) return { field, message, type: 'too_big' };
  return null;
}

/** Names a threshold that was sent, since a caller may not know of the other. */
function orderProblems(resolved: Thresholds, sent: ReadonlySet<string>): FieldError[] {
  return thresholdOrders.flatMap(({ lower, upper, orEqual }) => {
    const low = Number(resolved[lower]);
    const high = Number(resolved[upper]);
    if (low < high || (orEqual && low === high)) return [];
    const small = { field: publicFieldOf(lower), value: low, word: orEqual ? 'at most' : 'below' };
    const great = {
      field: publicFieldOf(upper),
      value: high,
      word: orEqual ? 'at least' : 'above',
    };
    const onlyGreat = sent.has(great.field) && !sent.has(small.field);
    const [named, other] = onlyGreat ? [great, small] : [small, great];
    const { field, value, word } = named;
    const message = `${field} (${value}) must be ${word} ${other.field} (${other.value})`;
    return [{ field, message, type: 'order' }];
  });
}

function publicFieldOf(key: string): string {
  return thresholdTable.find((row) => row.key === key)?.field ?? key;
}

function changedFields(before: Overrides, after: Overrides): string[] {
  const old = resolveThresholds(before);
  const now = resolveThresholds(after);
  return thresholdTable.filter(({ key }) => old[key] !== now[key]).map(({ field }) => field);
}
