/**
 * How a payment compares with what its agent did before, in a few numbers: of what was gathered,
 * the part that a verdict depends on. What cannot be compared is absent.
 */
export interface Likeness {
  /** How many approved payments it was compared with: of its currency, within 90 days. */
  n: number;
  /** Of those with an MCC: how many have the same, of how many. */
  mcc?: [same: number, of: number];
  /** The same country, or chain and asset. */
  place?: [same: number, of: number];
  /** None was to this one: how many others were paid, by how many payments. */
  newMerchant?: [distinct: number, of: number];
  /** Robust z of the logarithm of the amount. */
  amountZ?: number;
  /** Payments in the hour before this one, and the hours since the first of all. */
  pace?: [lastHour: number, spanHours: number];
  /** Payments in this hour of the day (UTC) and those beside it. */
  sameHours?: number;
  /** Where the agent said how sure it is, usually and now. */
  confidenceZ?: number;
  /** Median of the alternatives that were considered. */
  alternatives?: number;
  reasoningZ?: number;
  /** The same reason was given for another merchant or amount. */
  reasonReused?: true;
  /** Same task, merchant and amount within a day, this one included; absent for the first. */
  repeats?: number;
  /** Merchants paid for the same task within a day; absent for one. */
  taskMerchants?: number;
  /** What was found in the agent's words, by the list that `injectionList` names. */
  markers?: string[];
}
