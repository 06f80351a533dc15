/** What a look at the chain has shown of a transaction. */
export type Sighting =
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

/** What becomes of a settlement; fields that are not there stay as they are. */
export interface Step {
  status: Status;
  failureReason: FailureReason | null;
  confirmations: number;
  block: Block | null;
  seen: boolean;
  moved: bigint | null;
}

/** Nobody has seen it for so long: it will not come any more. */
const timeoutMs = 24 * 3_600_000;

/**
 * The next state, from what was seen; pure. A receipt that has disappeared, after a reorganisation,
 * returns the settlement to SUBMITTED with no block; only SETTLED and FAILED are final.
 */
export function nextStep(standing: Standing, sighting: Sighting, now: number): Step {
  if (sighting.kind === 'mined') return minedStep(standing, sighting);
  const lastSeen = (standing.lastSeenAt ?? standing.createdAt).getTime();
  const lost = sighting.kind === 'absent' && now - lastSeen >= timeoutMs;
  return {
    status: lost ? 'FAILED' : 'SUBMITTED',
    failureReason: lost ? 'NOT_FOUND_TIMEOUT' : null,
    confirmations: 0,
    block: null,
    seen: sighting.kind === 'waiting',
    moved: null,
  };
}

function minedStep(standing: Standing, sighting: Sighting & { kind: 'mined' }): Step {
  const { block, outcome, confirmations } = sighting;
  const mined = { block, confirmations, seen: true };
  if (outcome.kind === 'failed') {
    return { ...mined, status: 'FAILED', failureReason: outcome.reason, moved: null };
  }
  const deep = confirmations >= standing.requiredConfirmations;
  const status = deep ? 'SETTLED' : 'PENDING';
  return { ...mined, status, failureReason: null, moved: outcome.moved };
}

/** How long until the next look: what does not come soon is looked at more and more seldom. */
export function checkPauseMs(status: Status, ageMs: number, pollMs: number): number {
  if (status === 'PENDING') return pollMs;
  return Math.round(Math.min(Math.max(pollMs, 60_000), pollMs + Math.max(0, ageMs) / 20));
}
