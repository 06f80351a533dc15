/**
 * How a payment differs from its agent's history. The verdict depends on these numbers alone, so
 * recording them makes it reproducible without the history. What cannot be compared is absent.
 */
export interface Likeness {
  /** Approved payments it was compared with: those in its currency within 90 days. */
  n: number;
  /** Payments with the same MCC, and payments with any MCC. */
  mcc?: [same: number, of: number];
  /** The same for the country, or for chain and asset. */
  place?: [same: number, of: number];
  /** Set if no payment was to this merchant: distinct merchants, and payments that name one. */
  newMerchant?: [distinct: number, of: number];
  /** Robust z-score (median and MAD) of the logarithm of the amount. */
  amountZ?: number;
  /** Payments less than an hour from this one, and hours since the oldest payment. */
  pace?: [lastHour: number, spanHours: number];
  /** Payments in the same hour of the day (UTC) or an adjacent one. */
  sameHours?: number;
  /** Z-score of the confidence that the agent states. */
  confidenceZ?: number;
  /** Median number of alternatives that the agent considered. */
  alternatives?: number;
  /** Z-score of the logarithm of the length of the reasoning. */
  reasoningZ?: number;
  /** Similar reasoning was given for another merchant or amount. */
  reasonReused?: true;
  /** Requests with this task, merchant and amount within a day, including this one, if over 1. */
  repeats?: number;
  /** Distinct named merchants of this task within a day, including this one, if over 1. */
  taskMerchants?: number;
  /**
   * The version of the marker list (`injectionList`), then the markers found in the agent's text.
   */
  markers?: string[];
}
