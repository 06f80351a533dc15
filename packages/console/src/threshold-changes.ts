import type { Thresholds } from './api/threshold-shapes.js';

/** The change of one field. */
export interface ThresholdChange {
  field: string;
  from: string | null;
  /** Null resets it to the default of the platform. */
  to: string | null;
}

/** Compares the input with the current values: an empty input means the default. */
export function thresholdChanges(
  typed: Record<string, string>,
  set: Thresholds,
): ThresholdChange[] {
  return Object.entries(typed).flatMap(([field, text]) => {
    const to = text.trim() === '' ? null : text.trim();
    const from = set.overrides[field] ?? null;
    return to === from ? [] : [{ field, from, to }];
  });
}

const number = /^-?\d+(\.\d+)?$/;

/**
 * The body of the PUT. Numbers are sent as typed, an amount of money as text. Invalid input is sent
 * as text too, so that the service reports the error.
 */
export function changesText(changes: readonly ThresholdChange[]): string {
  const members = changes.map(({ field, to }) => `${JSON.stringify(field)}:${spelled(field, to)}`);
  return `{${members.join(',')}}`;
}

function spelled(field: string, to: string | null): string {
  if (to === null) return 'null';
  return number.test(to) && !isMoney(field) ? withoutLeadingZeros(to) : JSON.stringify(to);
}

function isMoney(field: string): boolean {
  return field.endsWith('amount_threshold') || field.endsWith('_amount');
}

/** `00.5` is not a JSON number but a valid input. */
function withoutLeadingZeros(text: string): string {
  return text.replace(/^(-?)0+(?=\d)/, '$1');
}
