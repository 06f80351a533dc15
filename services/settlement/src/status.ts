/** The observed state of a transaction. */
export type Observation =
  /** No node knows the transaction. */
  | { kind: 'absent' }
  /** The transaction is known but not in a block. */
  | { kind: 'waiting' }
  | { kind: 'mined'; block: Block; result: TransferResult; confirmations: number };

export interface Block {
  number: bigint;
  hash: string;
}

/** `transferredRaw` is the value of the approved transfer in base units. */
export type TransferResult =
  | { kind: 'transferred'; transferredRaw: bigint }
  | { kind: 'failed'; reason: 'REVERTED' | 'TRANSFER_MISMATCH' };

export type Status = 'SUBMITTED' | 'PENDING' | 'SETTLED' | 'FAILED';
type FailureReason = 'REVERTED' | 'TRANSFER_MISMATCH' | 'NOT_FOUND_TIMEOUT';

export interface SettlementState {
  status: Status;
  requiredConfirmations: number;
  createdAt: Date;
  lastSeenAt: Date | null;
}

/** The state that a check leads to. */
export interface Transition {
  status: Status;
  failureReason: FailureReason | null;
  /** True for a failure that a reorganisation can still undo. */
  isProvisional: boolean;
  confirmations: number;
  block: Block | null;
  seen: boolean;
  transferredRaw: bigint | null;
}

/** A transaction that no node has known for this time has failed. */
const timeoutMs = 24 * 3_600_000;

/** Whether a transaction has failed that the chain does not have up to this time. */
export function isOverdue(
  { createdAt, lastSeenAt }: Pick<SettlementState, 'createdAt' | 'lastSeenAt'>,
  until: number,
): boolean {
  return until - (lastSeenAt ?? createdAt).getTime() >= timeoutMs;
}

/**
 * The state after an observation. If a reorganisation has removed the transaction from its block,
 * the settlement returns to SUBMITTED, also from a provisional failure. Final are SETTLED and all
 * other failures. `until` is the time of the chain up to which an absent transaction was looked
 * for.
 */
export function nextTransition(
  state: SettlementState,
  observation: Observation,
  until: number,
): Transition {
  if (observation.kind === 'mined') return minedTransition(state, observation);
  const lost = observation.kind === 'absent' && isOverdue(state, until);
  return {
    status: lost ? 'FAILED' : 'SUBMITTED',
    failureReason: lost ? 'NOT_FOUND_TIMEOUT' : null,
    isProvisional: false,
    confirmations: 0,
    block: null,
    seen: observation.kind === 'waiting',
    transferredRaw: null,
  };
}

function minedTransition(
  state: SettlementState,
  observation: Observation & { kind: 'mined' },
): Transition {
  const { block, result, confirmations } = observation;
  const mined = { block, confirmations, seen: true };
  const isConfirmed = confirmations >= state.requiredConfirmations;
  if (result.kind === 'failed') {
    const failure = { failureReason: result.reason, isProvisional: !isConfirmed };
    return { ...mined, ...failure, status: 'FAILED', transferredRaw: null };
  }
  return {
    ...mined,
    status: isConfirmed ? 'SETTLED' : 'PENDING',
    failureReason: null,
    isProvisional: false,
    transferredRaw: result.transferredRaw,
  };
}

/**
 * The state instead of `wanted` if the transaction belongs to another authorization, for which it
 * was reported while this settlement had failed provisionally. Unless it has settled that one, the
 * claim may fail yet.
 */
export function claimedElsewhere(wanted: Transition, claim: Status): Transition {
  return {
    ...wanted,
    status: 'FAILED',
    failureReason: 'TRANSFER_MISMATCH',
    isProvisional: claim !== 'SETTLED',
    transferredRaw: null,
  };
}

/** The time until the next check, which grows with the age of a settlement that is not mined. */
export function checkPauseMs(status: Status, ageMs: number, pollMs: number): number {
  if (status === 'PENDING') return pollMs;
  return Math.round(Math.min(Math.max(pollMs, 60_000), pollMs + Math.max(0, ageMs) / 20));
}
