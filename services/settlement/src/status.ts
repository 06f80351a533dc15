/** What the chain has shown of a transaction. */
export type Observation =
  /** No node knows it. */
  | { kind: 'absent' }
  /** Known, in no block yet. */
  | { kind: 'waiting' }
  | { kind: 'mined'; block: Block; outcome: MinedOutcome; confirmations: number };

export interface Block {
  number: bigint;
  hash: string;
}

/** `moved` in base units: the transfer is the one that was approved. */
export type MinedOutcome =
  | { kind: 'transferred'; moved: bigint }
  | { kind: 'failed'; reason: 'REVERTED' | 'TRANSFER_MISMATCH' };

export type Status = 'SUBMITTED' | 'PENDING' | 'SETTLED' | 'FAILED';
export type FailureReason = 'REVERTED' | 'TRANSFER_MISMATCH' | 'NOT_FOUND_TIMEOUT';

export interface Standing {
  status: Status;
  requiredConfirmations: number;
  createdAt: Date;
  lastSeenAt: Date | null;
}

/** The next state of a settlement. */
export interface Step {
  status: Status;
  failureReason: FailureReason | null;
  confirmations: number;
  block: Block | null;
  seen: boolean;
  moved: bigint | null;
}

/** A transaction that no node has known for this long is given up. */
const timeoutMs = 24 * 3_600_000;

/**
 * The next state after an observation; pure. A receipt that has disappeared in a reorganisation
 * returns the settlement to SUBMITTED without a block; only SETTLED and FAILED are final.
 */
export function nextStep(standing: Standing, observation: Observation, now: number): Step {
  if (observation.kind === 'mined') return minedStep(standing, observation);
  const lastSeen = (standing.lastSeenAt ?? standing.createdAt).getTime();
  const lost = observation.kind === 'absent' && now - lastSeen >= timeoutMs;
  return {
    status: lost ? 'FAILED' : 'SUBMITTED',
    failureReason: lost ? 'NOT_FOUND_TIMEOUT' : null,
    confirmations: 0,
    block: null,
    seen: observation.kind === 'waiting',
    moved: null,
  };
}

function minedStep(standing: Standing, observation: Observation & { kind: 'mined' }): Step {
  const { block, outcome, confirmations } = observation;
  const mined = { block, confirmations, seen: true };
  if (outcome.kind === 'failed') {
    return { ...mined, status: 'FAILED', failureReason: outcome.reason, moved: null };
  }
  const deep = confirmations >= standing.requiredConfirmations;
  const status = deep ? 'SETTLED' : 'PENDING';
  return { ...mined, status, failureReason: null, moved: outcome.moved };
}

/** Milliseconds until the next check, which grow with the age of the settlement. */
export function checkPauseMs(status: Status, ageMs: number, pollMs: number): number {
  if (status === 'PENDING') return pollMs;
  return Math.round(Math.min(Math.max(pollMs, 60_000), pollMs + Math.max(0, ageMs) / 20));
}
