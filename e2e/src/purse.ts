import type { Api } from './api.js';
import type { SeenAmendment, SeenAnswer } from './checker.js';
import type { SeenReport } from './outcome-reports.js';

/** A mandate that many spend from at once. */
export interface Purse {
  principalId: string;
  agentId: string;
  currency: string;
  /** Decimals of the currency. */
  exponent: number;
  /** Amounts are drawn below this, in the currency's smallest unit. */
  most: number;
  /** Acting for the Principal, one through each gateway. */
  doors: readonly Api[];
}

/** A decision somebody was told, for what comes after it. */
export interface Decided {
  purse: Purse;
  id: string;
  key: string | null;
  /** In the currency's smallest unit. */
  amount: number;
  networkRrn: string;
  decision: string;
}

/** Everything callers were answered. */
export interface Told {
  answers: SeenAnswer[];
  amendments: SeenAmendment[];
  reports: SeenReport[];
  /** Decided, whatever became of it. */
  decided: Decided[];
  /** Refusals that belong to the race, by what was refused. */
  refused: Record<'key' | 'reversal' | 'stepUp', number>;
  /** Turned away by a busy gateway (429), and nothing done. */
  shed: number;
  /** What the contract has no place for. */
  unexplained: string[];
}

export function through({ doors }: Purse, index: number): Api {
  const door = doors[index % doors.length];
  if (!door) throw new Error('the purse has no door');
  return door;
}
