import type { Thresholds } from './api/shapes.js';

/** One field, as it is and as somebody wants it. */
export interface ThresholdChange {
  field: string;
  from: string | null;
  /** Null reverts it to the default of the platform. */
  to: string | null;
}

/** What was typed, against what is set: an empty input means the default. */
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
 * The body of the PUT. Figures go out as they were typed, an amount of money as text; whatever else
 * was typed goes out as text too, for the service to refuse it in its own words.
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

/** `00.5` is no JSON number, and means one. */
function withoutLeadingZeros(text: string): string {
  return text.replace(/^(-?)0+(?=\d)/, '$1');
}
