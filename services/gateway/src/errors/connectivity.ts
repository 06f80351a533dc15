import { Fault } from '@countersign/kernel/fault';

/** Of the socket; of PostgreSQL (classes 08, 53, 57P, and what timed out); of Prisma. */
const transient = new RegExp(
  [
    '^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN',
    '08|53|57P|57014$|55P03$|40001$|40P01$',
    'P1001|P1002|P1008|P1017|P2024)',
  ].join('|'),
);
const transientMessage = new RegExp(
  [
    'timeout exceeded when trying to connect',
    'Connection terminated',
    'Client has encountered a connection error',
  ].join('|'),
  'i',
);

/** A database that is away is not a mistake of ours: 503, and safe to try again. */
export function connectivityFault(error: unknown): unknown {
  if (error instanceof Fault || !isTransient(error)) return error;
  return new Fault('unavailable', {
    code: 'SERVICE_UNAVAILABLE',
    message: 'A part of the service is not available; try again.',
    internal: 'the gateway database is away',
    cause: error,
  });
}

function isTransient(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 3) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && transient.test(code)) return true;
  return transientMessage.test(error.message) || isTransient(error.cause, depth + 1);
}
