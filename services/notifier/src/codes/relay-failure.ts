/** A gateway's answer that refuses the message. */
export class StatusRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

/**
 * What a gateway answers to a number that it cannot use. Other statuses of a caller's mistake can
 * be due to how it is set up, and refuse every number alike.
 */
const numberRefused = 422;

/**
 * A permanent refusal whose enhanced code (RFC 3463) blames the mailbox: it or its domain does not
 * exist, has moved, is disabled or full. Where the code blames the sender (5.1.0, 5.1.7, 5.1.8,
 * 5.7.1) or is missing, the relay may refuse every recipient alike, which is not to be overlooked.
 */
const mailboxRefusal = /^5\d\d[ -]5\.(?:1\.(?:[1-46]|10)|2\.[12])\b/;

export function isOfRecipient(error: unknown): boolean {
  if (error instanceof StatusRefused) return error.status === numberRefused;
  const { command, response } = error as Record<string, unknown>;
  return command === 'RCPT TO' && typeof response === 'string' && mailboxRefusal.test(response);
}

/**
 * Messages of the mail library for failures before anything was sent; later failures have the same
 * error codes.
 */
const unsaid: ReadonlySet<unknown> = new Set(['Connection timeout', 'Greeting never received']);

/** The relay refused the message, or no connection was established. */
export function wasRefused(error: unknown): boolean {
  const { code, responseCode, syscall, message } = error as Record<string, unknown>;
  if (error instanceof StatusRefused || typeof responseCode === 'number') return true;
  // A name with several addresses: all of them were tried.
  if (error instanceof AggregateError) return error.errors.every(wasRefused);
  if (syscall === 'connect' || syscall === 'getaddrinfo' || unsaid.has(message)) return true;
  return code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'EDNS' || code === 'ETLS';
}

/** The relay's message may quote the mail and thus the code, so only error codes are logged. */
export function reasonOf(error: unknown): string {
  const { code, responseCode, message } = error as Record<string, unknown>;
  if (typeof responseCode === 'number') return `status ${responseCode}`;
  if (typeof code === 'string') return code;
  return typeof message === 'string' && /^status \d+$/.test(message) ? message : 'failed';
}
