import { Fault } from '@countersign/kernel/fault';
import { isPrismaConnectionFailure } from './db.js';

/**
 * What a failed statement means:
 * - contended: rolled back because of another transaction or a timeout; worth another try
 * - lost: the connection broke, and what was sent may have been committed
 * - unreachable: it was never sent, or the server takes no writes at this time
 * - refused: sending the same again gives the same error
 */
export type Failure = 'contended' | 'lost' | 'unreachable' | 'refused';

const byCode: Readonly<Record<string, Failure>> = {
  '23505': 'contended', // unique_violation: somebody was first; the next try finds what they wrote
  '40001': 'contended', // serialization_failure
  '40P01': 'contended', // deadlock_detected
  '55P03': 'contended', // lock_not_available: lock_timeout
  '57014': 'contended', // query_canceled: statement_timeout
  '25006': 'unreachable', // read_only_sql_transaction: it has become a standby
  '57P01': 'lost', // admin_shutdown
  '57P02': 'lost', // crash_shutdown
  '57P03': 'unreachable', // cannot_connect_now
  '53100': 'unreachable', // disk_full
  '53300': 'unreachable', // too_many_connections
  ECONNREFUSED: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  ENOENT: 'unreachable',
  ECONNRESET: 'lost',
  EPIPE: 'lost',
  ETIMEDOUT: 'lost',
  EHOSTUNREACH: 'lost',
  ENETUNREACH: 'lost',
};

/** What the driver says without a code. */
const byMessage: ReadonlyArray<readonly [start: string, failure: Failure]> = [
  ['timeout exceeded when trying to connect', 'unreachable'],
  ['Connection terminated due to connection timeout', 'unreachable'],
  ['Connection terminated', 'lost'],
  ['Query read timeout', 'lost'],
  ['Client has encountered a connection error', 'lost'],
];

export function failureOf(error: unknown): Failure {
  const { code, message } = error as { code?: string; message?: string };
  if (code !== undefined) return byCode[code] ?? (code.startsWith('08') ? 'lost' : 'refused');
  return byMessage.find(([start]) => message?.startsWith(start))?.[1] ?? 'refused';
}

const attempts = 3;

/** Another try for what was undone because another transaction was in the way. */
export async function retryContended<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || failureOf(error) !== 'contended') throw error;
    }
  }
}

/** A failure of the database as the fault that callers get; other errors are returned unchanged. */
export function databaseFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  if (isPrismaConnectionFailure(error)) return unavailable('the database is away', error);
  const failure = failureOf(error);
  if (failure === 'refused') return error;
  return failure === 'lost' ? unknownAnswer(error) : unavailable(failure, error);
}

/** Nothing was done, and it is safe to try again. */
export function unavailable(internal: string, cause?: unknown): Fault {
  return new Fault('unavailable', { ...publicWords, internal, cause });
}

/** It may or may not have been done. */
export function unknownAnswer(cause: unknown): Fault {
  return new Fault('deadline', { ...publicWords, internal: 'the connection was lost', cause });
}

const publicWords = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'The ledger cannot answer at the moment; try again.',
};
