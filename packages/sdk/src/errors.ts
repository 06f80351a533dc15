/** One problem found by the service, or by the client before sending. */
export interface FieldError {
  /** Dotted path with indexes: `outcomes.3.notes`. Empty if it concerns the call as a whole. */
  field: string;
  message: string;
  /** Stable name of the problem: `required`, `too_many_decimals`, `scope_missing`. */
  type: string;
}

export interface ErrorFacts {
  code: string;
  /** HTTP status; null if there was no response. */
  status?: number | null;
  /** Identifies the call in the service's logs. */
  requestId?: string | null;
  docsUrl?: string | null;
  /** Number of requests made for this call. */
  attempts?: number;
  /** Seconds to wait before retrying, if the service sent them. */
  retryAfter?: number | null;
  /**
   * The idempotency key of the call, if it had one. Retry with it, so that nothing happens twice.
   */
  idempotencyKey?: string | null;
  /** True if this attempt or an earlier one may have taken effect. */
  outcomeUnknown?: boolean;
  /** The individual problems, if more is known than the code says. */
  fields?: readonly FieldError[];
}

/** Base class of all errors that a call throws, except the reason of your own AbortSignal. */
export class CountersignError extends Error {
  override readonly name: string = 'CountersignError';
  /** Stable, unlike the message. */
  readonly code: string;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly docsUrl: string | null;
  readonly attempts: number;
  readonly retryAfter: number | null;
  readonly idempotencyKey: string | null;
  /** True if this attempt or an earlier one may have taken effect. */
  readonly outcomeUnknown: boolean;
  /** The individual problems; empty if no more is known than the code says. */
  readonly fields: readonly FieldError[];

  constructor(message: string, facts: ErrorFacts) {
    super(message);
    this.code = facts.code;
    this.status = facts.status ?? null;
    this.requestId = facts.requestId ?? null;
    this.docsUrl = facts.docsUrl ?? null;
    this.attempts = facts.attempts ?? 0;
    this.retryAfter = facts.retryAfter ?? null;
    this.idempotencyKey = facts.idempotencyKey ?? null;
    this.outcomeUnknown = facts.outcomeUnknown ?? false;
    this.fields = facts.fields ?? [];
  }

  /** For logs: JSON.stringify otherwise omits the message of an error. */
  toJSON(): Record<string, unknown> {
    const { name, message, code, status, requestId, docsUrl } = this;
    const { attempts, retryAfter, idempotencyKey, outcomeUnknown, fields } = this;
    return {
      name,
      message,
      code,
      status,
      requestId,
      docsUrl,
      attempts,
      retryAfter,
      idempotencyKey,
      outcomeUnknown,
      fields,
    };
  }
}

/** The options of the client are invalid. */
export class ConfigurationError extends CountersignError {
  override readonly name = 'ConfigurationError';

  constructor(message: string) {
    super(message, { code: 'CONFIGURATION' });
  }
}

/**
 * 401: no credential, or an invalid one; `fields` has the type `principal_required` if only the
 * Principal is missing.
 */
export class AuthenticationError extends CountersignError {
  override readonly name = 'AuthenticationError';
}

/**
 * 403: the credential is valid but not allowed to do this. `fields` has the type `scope_missing`,
 * `read_access`, `spend_access` or `address_not_allowed` if that is the reason.
 */
export class PermissionError extends CountersignError {
  override readonly name = 'PermissionError';
}

/** 404: the object does not exist, or belongs to someone else. */
export class NotFoundError extends CountersignError {
  override readonly name = 'NotFoundError';
}

/** 409: the request conflicts with the current state. */
export class ConflictError extends CountersignError {
  override readonly name = 'ConflictError';
}

/** 400, 405, 413, 415: the request is malformed, or not possible in the current state. */
export class RequestError extends CountersignError {
  override readonly name = 'RequestError';
}

/** 422, or refused by the client before sending; `fields` lists every problem. */
export class ValidationError extends CountersignError {
  override readonly name = 'ValidationError';
}

/** 429: rate limited, also after the permitted retries. The last attempt had no effect. */
export class RateLimitError extends CountersignError {
  override readonly name = 'RateLimitError';
}

/** 5xx, 408, no response, a response not from the service, or none in time. */
export class UnavailableError extends CountersignError {
  override readonly name: string = 'UnavailableError';
}

/** The deadline of the call passed before a response. */
export class DeadlineError extends UnavailableError {
  override readonly name = 'DeadlineError';
}
