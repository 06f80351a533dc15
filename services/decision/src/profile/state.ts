import { type TrustLevel, trustLevels } from '@countersign/kernel/trust';

/**
 * The state of a profile. Every counter is a sum over the agent's authorizations, decayed to
 * `asOf`, so that an event costs the same however long the history is.
 */
export interface ProfileState {
  /** Epoch milliseconds of the newest event; the decayed counters are worth this at that time. */
  asOf: number;
  decayed: Record<DecayedCounter, number>;
  totals: Totals;
  /** How often each outcome type was reported, one per authorization. */
  outcomeCounts: Record<string, number>;
  /** The most recent events that cap the score, bounded. */
  marks: Record<MarkKind, Mark[]>;
  /** The score after the last event, unrounded; its daily rise is limited from here. */
  score: { value: number; at: number } | null;
  /** The agent as the last decision saw it. */
  seen: SeenAgent;
  trust: TrustState;
}

interface TrustState {
  /** The level the agent has earned; identity follows it. */
  level: TrustLevel;
  /** Epoch milliseconds of the last announcement: each must be later than the one before. */
  toldAt: number;
}

export interface Totals {
  total: number;
  approved: number;
  declined: number;
  successful: number;
}

export interface SeenAgent {
  trustLevel: string;
  agentCreatedAt: string;
  principalVerified: boolean;
  keyRegistered: boolean;
}

export type MarkKind = 'fraud' | 'unauthorized' | 'chargeback' | 'keyFailure';

export interface Mark {
  authorizationId: string;
  at: number;
}

/** Half-lives in days. */
export const halfLives = {
  complianceGood: 30,
  complianceBad: 30,
  outcomeGood: 90,
  outcomeBad: 180,
  consistencySum: 30,
  consistencyCount: 30,
  approvals: 30,
  verifiedApprovals: 30,
  chargeable: 90,
  chargebacks: 90,
} as const;
export type DecayedCounter = keyof typeof halfLives;

/**
 * No cap needs more than three. One that was displaced does not come back when later ones are taken
 * back, which only resolved disputes do to so many.
 */
export const maxMarks = 16;

/** Shared by the states of all agents without a mark, as most are; states are never changed. */
export const noMarks: ProfileState['marks'] = {
  fraud: [],
  unauthorized: [],
  chargeback: [],
  keyFailure: [],
};
/** The same for agents without a reported outcome. */
export const noOutcomes: ProfileState['outcomeCounts'] = {};

export function emptyState(at: number, seen: SeenAgent): ProfileState {
  return {
    asOf: at,
    decayed: {
      complianceGood: 0,
      complianceBad: 0,
      outcomeGood: 0,
      outcomeBad: 0,
      consistencySum: 0,
      consistencyCount: 0,
      approvals: 0,
      verifiedApprovals: 0,
      chargeable: 0,
      chargebacks: 0,
    },
    totals: { total: 0, approved: 0, declined: 0, successful: 0 },
    outcomeCounts: noOutcomes,
    marks: noMarks,
    score: null,
    seen,
    trust: { level: knownLevel(seen.trustLevel), toldAt: at },
  };
}

function knownLevel(level: string): TrustLevel {
  return trustLevels.find((known) => known === level) ?? 'REGISTERED';
}
