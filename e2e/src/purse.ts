import type { Api } from './api.js';
import type { SeenAmendment, SeenAnswer } from './checker.js';
import type { SeenReport } from './outcome-reports.js';

/** A mandate from which many callers spend concurrently. */
export interface Purse {
  principalId: string;
  agentId: string;
  currency: string;
  /** Decimals of the currency. */
  exponent: number;
  /** Upper bound of random amounts, in the currency's smallest unit. */
  most: number;
  /** Clients acting for the Principal, one per gateway. */
  doors: readonly Api[];
}

/** A decision as told to its caller, for the operations that follow it. */
export interface Decided {
  purse: Purse;
  id: string;
  key: string | null;
  /** In the currency's smallest unit. */
  amount: number;
  networkRrn: string;
  decision: string;
}

/** Everything that callers were told. */
export interface Told {
  answers: SeenAnswer[];
  amendments: SeenAmendment[];
  reports: SeenReport[];
  /** All decisions, in whatever state. */
  decided: Decided[];
  /** Refusals that are expected in a race, by operation. */
  refused: Record<'key' | 'reversal' | 'stepUp', number>;
  /** Requests shed by a busy gateway (429), without effect. */
  shed: number;
  /** Responses that the contract does not explain. */
  unexplained: string[];
}
