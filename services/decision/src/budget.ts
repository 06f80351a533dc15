import { Fault } from '@countersign/kernel/fault';
import { withDeadline } from '@countersign/runtime/deadline';
import type { Call, CallOptions } from '@countersign/runtime/grpc-types';

/** Kept back for the answer to travel to the caller. */
const returnMs = 20;

/**
 * The largest part of the whole budget that one step may take, so that a slow dependency leaves
 * time to record a fail-safe DECLINE. They add up to more than one, since not all are slow at once.
 */
const shares = { identity: 0.5, database: 0.4, issuer: 0.3, ledger: 0.75, replay: 0.25 } as const;
export type Step = keyof typeof shares;

/** The time that a decision has left; all its steps draw on the same budget. */
export interface Budget {
  leftMs(): number;
  /** When the step has to end, in epoch milliseconds; throws when no time is left. */
  endOf(step: Step): number;
  /** Deadline, request id and trace for a call to another service; throws when no time is left. */
  callOptions(step: Step): CallOptions;
  /** Waits for work that has no deadline of its own, which is not cancelled. */
  within<T>(step: Step, work: Promise<T>): Promise<T>;
}

/** The longest that a step may take if `wholeMs` is the budget for everything. */
export function longestOf(step: Step, wholeMs: number): number {
  return wholeMs * shares[step];
}

/** `longestMs` for everything, and never longer than the caller waits. */
export function startBudget(call: Call, longestMs: number): Budget {
  const { environment, requestId, deadlineAt, trace } = call;
  const endsAt = Math.min(deadlineAt - returnMs, Date.now() + longestMs);
  const msFor = (step: Step) => Math.min(longestOf(step, longestMs), endsAt - Date.now());
  const leftFor = (step: Step): number => {
    const ms = msFor(step);
    if (ms <= 0) throw outOfTime('the decision took too long');
    return ms;
  };
  return {
    leftMs: () => endsAt - Date.now(),
    endOf: (step) => Date.now() + leftFor(step),
    callOptions: (step) => ({ environment, requestId, deadlineMs: leftFor(step), trace }),
    // Also with no time left the work is listened to: unheard, its failure would end the process.
    within: (step, work) =>
      withDeadline(work, { ms: msFor(step), late: () => outOfTime(`no answer from ${step}`) }),
  };
}

export function outOfTime(internal: string): Fault {
  return new Fault('deadline', {
    message: 'A part of the service did not answer in time; try again.',
    internal,
  });
}
