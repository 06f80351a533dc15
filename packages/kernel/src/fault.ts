/**
 * A fault is an error that prevents an answer; a decline is an answer and is never thrown. `code`
 * and `message` may be shown to a caller, `internal` and `cause` only appear in the log.
 */
const faultKinds = [
  'invalid', // 422: well-formed, but against the schema or a rule
  'malformed', // 400: cannot be read or cannot apply
  'unauthenticated', // 401
  'forbidden', // 403
  'not_found', // 404
  'conflict', // 409
  'exhausted', // 429
  'unavailable', // 503: safe to try again
  'deadline', // 503: the answer is unknown
  'internal', // 500
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** One entry of `details.errors`. `field` is a dotted path with indexes: `outcomes.3.notes`. */
export interface FieldError {
  field: string;
  message: string;
  type: string;
}

/** Of the kinds that say all that their code does. */
const codeByKind = {
  exhausted: 'RATE_LIMITED',
  unavailable: 'SERVICE_UNAVAILABLE',
  deadline: 'SERVICE_UNAVAILABLE',
  internal: 'INTERNAL_ERROR',
} as const satisfies Partial<Record<FaultKind, string>>;
type PlainKind = keyof typeof codeByKind;

export interface FaultOptions {
  /** By default that of the kind, where it has one. */
  code?: string;
  message: string;
  errors?: FieldError[];
  retryAfterSeconds?: number;
  internal?: string;
  cause?: unknown;
}

export class Fault extends Error {
  readonly kind: FaultKind;
  readonly code: string;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly internal: string | undefined;

  constructor(kind: PlainKind, options: FaultOptions);
  constructor(kind: FaultKind, options: FaultOptions & { code: string });
  constructor(kind: FaultKind, options: FaultOptions) {
    super(options.message, { cause: options.cause });
    this.name = 'Fault';
    this.kind = kind;
    this.code = options.code ?? codeByKind[kind as PlainKind];
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.internal = options.internal;
  }

  /**
   * The part that may cross a process boundary: never the cause, the stack or the internal text.
   */
  toWire(): WireFault {
    return {
      kind: this.kind,
      code: this.code,
      message: this.message,
      ...(this.errors && { errors: this.errors }),
      ...(this.retryAfterSeconds !== undefined && { retryAfterSeconds: this.retryAfterSeconds }),
    };
  }

  static fromWire(wire: WireFault): Fault {
    return new Fault(wire.kind, wire);
  }
}

export interface WireFault {
  kind: FaultKind;
  code: string;
  message: string;
  errors?: FieldError[];
  retryAfterSeconds?: number;
}

/** A single field that broke a rule: 422 VALIDATION_ERROR with one entry. */
export function invalidField(field: string, type: string, message: string): Fault {
  return new Fault('invalid', {
    code: 'VALIDATION_ERROR',
    message,
    errors: [{ field, message, type }],
  });
}

/** For X-Principal-Id: does not reveal whether another Client has such a Principal. */
export function notOfThisClient(): Fault {
  return new Fault('forbidden', {
    code: 'ERROR',
    message: 'X-Principal-Id does not name a Principal of this Client.',
  });
}

export function notFound(code: string, message: string): Fault {
  return new Fault('not_found', { code, message });
}

/** A part that had to be asked is away, or did not answer in time. */
export function isOutage(error: unknown): error is Fault & { kind: 'unavailable' | 'deadline' } {
  return error instanceof Fault && (error.kind === 'unavailable' || error.kind === 'deadline');
}

/** Mistakes of a caller are answers, not outages: a circuit breaker must not open for them. */
export function isCallerMistake(error: unknown): boolean {
  if (!(error instanceof Fault)) return false;
  return error.kind !== 'unavailable' && error.kind !== 'deadline' && error.kind !== 'internal';
}
