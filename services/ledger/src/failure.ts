import { Fault } from '@countersign/kernel/fault';
import { isPrismaConnectionFailure } from './db.js';

/**
 * The classes of failed statements:
 * - contended: rolled back because of another transaction or a timeout, and worth a retry
 * - lost: the connection broke, and the statement may have been committed
 * - unreachable: the statement was not sent, or the server does not accept writes now
 * - refused: a retry would fail with the same error
 */
export type Failure = 'contended' | 'lost' | 'unreachable' | 'refused';

const byCode: Readonly<Record<string, Failure>> = {
  '23505': 'contended', // unique_violation: a retry finds the row of the concurrent writer
  '40001': 'contended', // serialization_failure
  '40P01': 'contended', // deadlock_detected
  '55P03': 'contended', // lock_not_available: lock_timeout
  '57014': 'contended', // query_canceled: statement_timeout
  '25006': 'unreachable', // read_only_sql_transaction: the server has become a standby
  '28000': 'unreachable', // invalid_authorization_specification
  '28P01': 'unreachable', // invalid_password: it is being changed
  '3D000': 'unreachable', // invalid_catalog_name: the database is being restored
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

/** Errors of the driver that have no code. */
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

/** Retries work that was rolled back because of another transaction. */
export async function retryContended<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || failureOf(error) !== 'contended') throw error;
    }
  }
}

/** Converts a database failure to a fault for the caller; returns other errors unchanged. */
export function databaseFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  if (isPrismaConnectionFailure(error)) return unavailable('the database is unavailable', error);
  const failure = failureOf(error);
  if (failure === 'refused') return error;
  return failure === 'lost' ? unknownAnswer(error) : unavailable(failure, error);
}

/** Nothing was committed, so a retry is safe. */
export function unavailable(internal: string, cause?: unknown): Fault {
  return new Fault('unavailable', { ...publicWords, internal, cause });
}

/** The work may or may not have been committed. */
export function unknownAnswer(cause: unknown): Fault {
  return new Fault('deadline', { ...publicWords, internal: 'the connection was lost', cause });
}

const publicWords = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'The ledger is temporarily unavailable; retry the request.',
};
