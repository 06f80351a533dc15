/** What HTTP itself refuses, before anything of the domain is asked: 404, 405, 413, 415. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

export function unknownPath(): Refusal {
  return new Refusal(404, 'NOT_FOUND', 'There is nothing at this path.');
}

export function methodNotAllowed(allowed: readonly string[]): Refusal {
  const allow = allowed.join(', ');
  return new Refusal(405, 'ERROR', `Not a method of this path; use ${allow}.`, { Allow: allow });
}

export function unsupportedMediaType(accepted: string): Refusal {
  return new Refusal(415, 'ERROR', `The body must be ${accepted}.`);
}

export function bodyTooLarge(maxBytes: number): Refusal {
  // The rest of the body is not read: the connection cannot be used again.
  return new Refusal(413, 'ERROR', `The body must not exceed ${maxBytes} bytes.`, {
    Connection: 'close',
  });
}

export function malformed(message: string): Refusal {
  return new Refusal(400, 'BAD_REQUEST', message);
}
