/** A gateway's answer that refuses the message. */
export class StatusRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

/** The relay was not reached, or did not let us in: nothing of the message was sent. */
export class NotReached extends Error {
  constructor(cause: unknown) {
    super('the relay was not reached', { cause });
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

/** The relay refused the message, or was not reached. */
export function wasRefused(error: unknown): boolean {
  if (error instanceof NotReached || error instanceof StatusRefused) return true;
  return typeof (error as Record<string, unknown>).responseCode === 'number';
}

/** The relay's message may quote the mail and thus the code, so only error codes are logged. */
export function reasonOf(error: unknown): string {
  const failure = error instanceof NotReached ? error.cause : error;
  const { code, originalCode, responseCode, message } = failure as Record<string, unknown>;
  if (typeof responseCode === 'number') return `status ${responseCode}`;
  // The mail library has a code of its own for all that ends a connection, and keeps the system's.
  if (typeof originalCode === 'string') return originalCode;
  if (typeof code === 'string') return code;
  return typeof message === 'string' && /^status \d+$/.test(message) ? message : 'failed';
}
