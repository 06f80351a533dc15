/** One thing that the service refused, or that was refused here before anything was sent. */
export interface FieldError {
  /** Dotted, with indexes: `outcomes.3.notes`. Empty where it is about the call as a whole. */
  field: string;
  message: string;
  /** The stable name of what is wrong: `required`, `too_many_decimals`, `scope_missing`. */
  type: string;
}

export interface ErrorFacts {
  code: string;
  /** Of the answer; null where there was none. */
  status?: number | null;
  /** Finds the call in the service's logs. */
  requestId?: string | null;
  docsUrl?: string | null;
  /** How many requests were made for this call. */
  attempts?: number;
  /** How many seconds to wait before asking again, where the service said it. */
  retryAfter?: number | null;
  /** Of a call that had one: giving it again asks for the same thing, not for another. */
  idempotencyKey?: string | null;
  /** What was asked for may have been done all the same, at this try or at one before it. */
  outcomeUnknown?: boolean;
  /** What is wrong, each by its name, where more is known than the code says. */
  fields?: readonly FieldError[];
}

/** Whatever a call throws but for the reason of an AbortSignal of yours. */
export class CountersignError extends Error {
  override readonly name: string = 'CountersignError';
  /** Stable where the message is not. */
  readonly code: string;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly docsUrl: string | null;
  readonly attempts: number;
  readonly retryAfter: number | null;
  readonly idempotencyKey: string | null;
  /** What was asked for may have been done all the same, at this try or at one before it. */
  readonly outcomeUnknown: boolean;
  /** What is wrong, each by its name; empty where no more is known than the code says. */
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

  /** For logs, which otherwise lose the message of an error. */
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

/** The client was made with something that cannot work. */
export class ConfigurationError extends CountersignError {
  override readonly name = 'ConfigurationError';

  constructor(message: string) {
    super(message, { code: 'CONFIGURATION' });
  }
}

/** 401: no credential, or one that is not good here. */
export class AuthenticationError extends CountersignError {
  override readonly name = 'AuthenticationError';
}

/**
 * 403: the credential is good, and may not do this. `fields` has the type `scope_missing` or
 * `address_not_allowed` where that is why.
 */
export class PermissionError extends CountersignError {
  override readonly name = 'PermissionError';
}

/** 404: it does not exist, or is not yours. */
export class NotFoundError extends CountersignError {
  override readonly name = 'NotFoundError';
}

/** 409: something else is there already. */
export class ConflictError extends CountersignError {
  override readonly name = 'ConflictError';
}

/** 400, 405, 413, 415: not something that can be asked, or not at this moment. */
export class RequestError extends CountersignError {
  override readonly name = 'RequestError';
}

/** 422, or refused before it was sent; `fields` names everything that is wrong. */
export class ValidationError extends CountersignError {
  override readonly name = 'ValidationError';
}

/** 429: too often, and the retries that were allowed did not help. The last try did nothing. */
export class RateLimitError extends CountersignError {
  override readonly name = 'RateLimitError';
}

/** 5xx, no answer, an answer that is none of the service's, or none in time. */
export class UnavailableError extends CountersignError {
  override readonly name: string = 'UnavailableError';
}

/** The deadline of the call was over before it was answered. */
export class DeadlineError extends UnavailableError {
  override readonly name = 'DeadlineError';
}
