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

interface Inputs {
  mandates?: RecordedMandate[];
}

/** Null if no mandate covered the payment, or nothing was evaluated. */
export function recordedMandate(
  { mandate_id: id }: Entry,
  { inputs }: Explanation,
): RecordedMandate | null {
  return (inputs as Inputs).mandates?.find((mandate) => mandate.id === id) ?? null;
}
