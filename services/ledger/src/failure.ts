import { Fault } from '@countersign/kernel/fault';
import { isPassing } from '@countersign/runtime/connectivity';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Config } from './config.js';

/**
 * The classes of failed statements:
 * - contended: rolled back because of another transaction or a timeout, and worth a retry
 * - lost: the connection broke, and the statement may have been committed
 * - unreachable: the statement was not sent, or the server does not accept writes now
 * - refused: a retry would fail with the same error
 */
type Failure = 'contended' | 'lost' | 'unreachable' | 'refused';

const byCode: Readonly<Record<string, Failure>> = {
  '23505': 'contended', // unique_violation: a retry finds the row of the concurrent writer
  '40001': 'contended', // serialization_failure
  '40P01': 'contended', // deadlock_detected
  '55P03': 'contended', // lock_not_available: lock_timeout
  '57014': 'contended', // query_canceled: statement_timeout
  '57P01': 'lost', // admin_shutdown
  '57P02': 'lost', // crash_shutdown
  ECONNRESET: 'lost',
  EPIPE: 'lost',
  ETIMEDOUT: 'lost',
  EHOSTUNREACH: 'lost',
  ENETUNREACH: 'lost',
};

/** Errors of the driver that have no code. */
const byMessage: ReadonlyArray<readonly [start: string, failure: Failure]> = [
  ['Connection terminated due to connection timeout', 'unreachable'],
  ['Connection terminated', 'lost'],
  ['Query read timeout', 'lost'],
  ['Client has encountered a connection error', 'lost'],
];

export function failureOf(error: unknown): Failure {
  const { code, message } = error as { code?: string; message?: string };
  const known =
    code === undefined
      ? byMessage.find(([start]) => message?.startsWith(start))?.[1]
      : (byCode[code] ?? (code.startsWith('08') ? 'lost' : undefined));
  return known ?? (isPassing(error) ? 'unreachable' : 'refused');
}

const attempts = 3;

export interface AttemptLimits {
  /** When the caller gives up, in epoch milliseconds. */
  deadlineAt: number;
  /** The server cancels an attempt that takes longer. */
  statementTimeoutMs: number;
}

/** Of the statements that take locks. */
export function attemptLimits({ config }: { config: Config }, call: Call): AttemptLimits {
  return { deadlineAt: call.deadlineAt, statementTimeoutMs: config.commitTimeoutMs };
}

/**
 * Retries work that was rolled back because of another transaction, unless the attempt could last
 * beyond the deadline: it would take effect after the caller was told that it had not. Callers with
 * less time than the statement timeout still have one attempt.
 */
export async function retryContended<T>(
  { deadlineAt, statementTimeoutMs }: AttemptLimits,
  work: () => Promise<T>,
): Promise<T> {
  if (Date.now() >= deadlineAt) throw unavailable('the deadline passed before the first attempt');
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isLast = attempt === attempts || Date.now() + statementTimeoutMs > deadlineAt;
      if (isLast || failureOf(error) !== 'contended') throw error;
    }
  }
}

/** Converts a database failure to a fault for the caller; returns other errors unchanged. */
export function databaseFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const failure = failureOf(error);
  if (failure === 'refused') return error;
  return failure === 'lost' ? unknownAnswer(error) : unavailable(failure, error);
}

/** Nothing was committed, so a retry is safe. */
export function unavailable(internal: string, cause?: unknown): Fault {
  return new Fault('unavailable', { message, internal, cause });
}

/** The work may or may not have been committed. */
export function unknownAnswer(cause: unknown): Fault {
  return new Fault('deadline', { message, internal: 'the connection was lost', cause });
}

const message = 'The ledger is temporarily unavailable; retry the request.';
