interface RefusalOptions {
  code: string;
  message: string;
  headers?: Record<string, string>;
}

/** Errors of the HTTP request itself, before the domain is involved: 404, 405, 408, 413, … */
export class Refusal extends Error {
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(
    readonly status: number,
    { code, message, headers = {} }: RefusalOptions,
  ) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.headers = headers;
  }
}

export function unknownPath(describedAt = '/api/v1/docs'): Refusal {
  const message = `There is nothing at this path. The API is described at ${describedAt}.`;
  return new Refusal(404, { code: 'NOT_FOUND', message });
}

export function methodNotAllowed(allowed: readonly string[]): Refusal {
  const allow = allowed.join(', ');
  const message = `Not a method of this path; use ${allow}.`;
  return new Refusal(405, { code: 'ERROR', message, headers: { Allow: allow } });
}

export function unsupportedMediaType(accepted: string): Refusal {
  return new Refusal(415, { code: 'ERROR', message: `The body must be ${accepted}.` });
}

export function bodyTooLarge(maxBytes: number): Refusal {
  // The rest of the body is not read, so the connection cannot be reused.
  const headers = { Connection: 'close' };
  const message = `The body must not exceed ${maxBytes} bytes.`;
  return new Refusal(413, { code: 'ERROR', message, headers });
}

export function bodyTooSlow(): Refusal {
  // The rest of the body may still arrive, so the connection cannot be reused.
  const headers = { Connection: 'close' };
  return new Refusal(408, { code: 'ERROR', message: 'The body did not arrive in time.', headers });
}

export function unmetExpectation(): Refusal {
  const message = 'The Expect header may contain only 100-continue.';
  return new Refusal(417, { code: 'ERROR', message });
}

export function malformed(message: string): Refusal {
  return new Refusal(400, { code: 'BAD_REQUEST', message });
}
