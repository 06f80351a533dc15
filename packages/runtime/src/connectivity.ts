import { Fault, isOutage } from '@countersign/kernel/fault';

/**
 * Error codes of sockets, of PostgreSQL (08, 57P, 53, a standby, a timeout) and of Prisma. Also
 * those of a store that lets nobody in (28, 3D000): its password is being changed, or it is away
 * for a restore. And those of what a connection needs on this machine: the server's Unix socket,
 * which is gone with it, the file with its CA, and a free descriptor.
 */
const awayCode = new RegExp(
  [
    '^(ECONN|EHOST|ENET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|08|57P|53|28',
    'ENOENT$|EACCES$|EMFILE$|ENFILE$',
    '25006$|3D000$|57014$|P1000$|P1001$|P1002$|P1003$|P1008$|P1010$|P1011$|P1017$|P2024$|P2028$)',
  ].join('|'),
);
/**
 * Of Node.js, for a certificate that it does not accept: expired, or of another host. Or for a file
 * that it cannot use: while the own certificate is replaced, its key may still be the former one.
 */
const untrustedCode =
  /^(CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_(X509|PEM)_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/;
/** Another transaction holds a lock, or was first: PostgreSQL, and Prisma for the same. */
const contendedCode = /^(55P03|40001|40P01|P2034)$/;
const transientMessage = new RegExp(
  [
    'timeout exceeded when trying to connect',
    'Connection terminated',
    'Query read timeout',
    'Client has encountered a connection error',
    'not currently accepting connections',
    'server does not support SSL connections',
  ].join('|'),
  'i',
);
const maxDepth = 4;

/**
 * True if the store or another service is unavailable or overloaded. Such an error says nothing
 * about a single item, and retrying a group in smaller pieces would make it worse. A lock held by
 * another transaction does not count: it concerns one item of the group.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof Fault) return isOutage(error);
  return reports(error, awayCode) || reports(error, untrustedCode);
}

/** Turns an unavailable store into 503, which is safe to retry. */
export function connectivityFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  if (!isPassing(error) && !reports(error, contendedCode)) return error;
  return new Fault('unavailable', {
    message: 'A part of the service is not available; try again.',
    internal: 'a store is away',
    cause: error,
  });
}

/** Looks for a driver's error code through the layers in which an adapter has wrapped it. */
function reports(error: unknown, known: RegExp, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > maxDepth) return false;
  const { code, originalCode, message, cause, meta } = error as {
    code?: unknown;
    originalCode?: unknown;
    message?: unknown;
    cause?: unknown;
    meta?: { driverAdapterError?: unknown };
  };
  return (
    [code, originalCode].some((text) => typeof text === 'string' && known.test(text)) ||
    (typeof message === 'string' && transientMessage.test(message)) ||
    reports(cause, known, depth + 1) ||
    reports(meta?.driverAdapterError, known, depth + 1)
  );
}
