import { type ReasonCategory, reasonTable, type Severity } from './reason-table.js';
import type { Retry } from './retry.js';

interface Reason {
  code: string;
  category: ReasonCategory;
  severity: Severity;
  retry: Retry;
  description: string;
}

/** Every reason code, in the order in which an answer lists them. The order is contract. */
export const reasons: readonly Reason[] = reasonTable.flatMap(([category, rows]) =>
  rows.map(([code, severity, retry, description]) => ({
    code,
    category,
    severity,
    retry,
    description,
  })),
);

const ranks: ReadonlyMap<string, number> = new Map(reasons.map((r, rank) => [r.code, rank]));

/** Sorts codes into the published order; an unknown code, which would be a bug, sorts last. */
export function inReasonOrder(codes: readonly string[]): string[] {
  const rank = (code: string): number => ranks.get(code) ?? reasons.length;
  return [...new Set(codes)].sort((a, b) => rank(a) - rank(b));
}

export function reasonByCode(code: string): Reason | undefined {
  const rank = ranks.get(code);
  return rank === undefined ? undefined : reasons[rank];
}
