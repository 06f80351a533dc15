import { Fault } from '@countersign/kernel/fault';
import type { Call, CallOptions } from '@countersign/runtime/grpc-types';

/** Longest a decision may take inside; the edge allows 1,500. */
const decisionMs = 1_200;
/** What is kept back for the way home, so that the caller still hears the answer. */
const returnMs = 20;

/** The most one step may take, so that one slow part leaves time to record a fail-safe DECLINE. */
export const stepMs = { identity: 400, database: 300, ledger: 900 } as const;

/** How much time one decision has left; every step of it takes from the same budget. */
export interface Budget {
  leftMs(): number;
  /** Deadline and names for a call to another service; throws when nothing is left. */
  callOptions(maxMs: number): CallOptions;
  /** Waits for work that has no deadline of its own; the work itself is not cancelled. */
  within<T>(maxMs: number, work: Promise<T>): Promise<T>;
}

export function startBudget({ environment, requestId, deadlineAt }: Call): Budget {
  const endsAt = Math.min(deadlineAt - returnMs, Date.now() + decisionMs);
  const left = (maxMs: number): number => {
    const ms = Math.min(maxMs, endsAt - Date.now());
    if (ms <= 0) throw outOfTime('the decision took too long');
    return ms;
  };
  return {
    leftMs: () => endsAt - Date.now(),
    callOptions: (maxMs) => ({ environment, requestId, deadlineMs: left(maxMs) }),
    within: async (maxMs, work) => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(outOfTime(`no answer in ${maxMs} ms`)), left(maxMs));
      });
      try {
        return await Promise.race([work, late]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function outOfTime(internal: string): Fault {
  return new Fault('deadline', {
    code: 'SERVICE_UNAVAILABLE',
    message: 'A part of the service did not answer in time; try again.',
    internal,
  });
}
