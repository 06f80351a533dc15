import type { Entry, Explanation } from '../../api/shapes.js';

/** The copy of the mandate that was recorded with the decision. */
export interface RecordedMandate {
  id: string;
  currency: string;
  max_amount_per_transaction: string;
  max_daily_amount: string | null;
  max_monthly_amount: string | null;
  max_daily_count: string | null;
  max_monthly_count: string | null;
  mandate_hash: string;
  [term: string]: unknown;
}

export interface RecordedUsage {
  day: string;
  month: string;
  daily_amount: string;
  monthly_amount: string;
  daily_count: string;
  monthly_count: string;
}

interface Inputs {
  mandates?: RecordedMandate[];
  limits?: { usage?: RecordedUsage | null };
}

/** Null if no mandate covered the payment, or nothing was evaluated. */
export function recordedMandate(
  { mandate_id: id }: Entry,
  { inputs }: Explanation,
): RecordedMandate | null {
  return (inputs as Inputs).mandates?.find((mandate) => mandate.id === id) ?? null;
}

/** Usage before the decision; null if it was not read from the ledger. */
export function recordedUsage({ inputs }: Explanation): RecordedUsage | null {
  return (inputs as Inputs).limits?.usage ?? null;
}
