import { Fault } from '@countersign/kernel/fault';

/** Of the socket, of PostgreSQL (08, 57P, 53, a standby, timeouts, deadlocks), of Prisma. */
const transientCode = new RegExp(
  [
    '^(ECONN|EHOST|ENET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|08|57P|53',
    '25006$|57014$|55P03$|40001$|40P01$',
    'P1001$|P1002$|P1008$|P1017$|P2024$|P2028$|P2034$)',
  ].join('|'),
);
const transientMessage = new RegExp(
  [
    'timeout exceeded when trying to connect',
    'Connection terminated',
    'Query read timeout',
    'Client has encountered a connection error',
    'not currently accepting connections',
  ].join('|'),
  'i',
);
const maxDepth = 4;

/**
 * Whether it is the store, or another service, that is away, overloaded or in the way: then it says
 * nothing about what was asked, and to ask more often in smaller pieces makes it worse.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof Fault) return error.kind === 'unavailable' || error.kind === 'deadline';
  return passes(error, 0);
}

/** A store that is away is not a mistake of ours: 503, and safe to try again. */
export function connectivityFault(error: unknown): unknown {
  if (error instanceof Fault || !passes(error, 0)) return error;
  return new Fault('unavailable', {
    code: 'SERVICE_UNAVAILABLE',
    message: 'A part of the service is not available; try again.',
    internal: 'a store is away',
    cause: error,
  });
}

/** What a driver reports, however deep an adapter has wrapped it. */
function passes(error: unknown, depth: number): boolean {
  if (typeof error !== 'object' || error === null || depth > maxDepth) return false;
  const { code, originalCode, message, cause, meta } = error as {
    code?: unknown;
    originalCode?: unknown;
    message?: unknown;
    cause?: unknown;
    meta?: { driverAdapterError?: unknown };
  };
  return (
    [code, originalCode].some((text) => typeof text === 'string' && transientCode.test(text)) ||
    (typeof message === 'string' && transientMessage.test(message)) ||
    passes(cause, depth + 1) ||
    passes(meta?.driverAdapterError, depth + 1)
  );
}
