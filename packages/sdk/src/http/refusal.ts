import {
  AuthenticationError,
  ConflictError,
  type CountersignError,
  type FieldError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestError,
  UnavailableError,
  ValidationError,
} from '../errors.js';
import type { Facts } from './failure.js';
import { retryAfterMs } from './retry.js';

interface Refused {
  status: number;
  headers: Headers;
  /** Parsed JSON; undefined if the body was not JSON. */
  body: unknown;
  facts: Facts;
}

/** The fields that all three error envelopes have in common. */
interface Told {
  code: string;
  message: string;
  requestId: string | null;
  docsUrl: string | null;
  fields: FieldError[];
}

/** Converts an error response to the error of its kind. */
export function refusal({ status, headers, body, facts }: Refused): CountersignError {
  const heard = envelope(body);
  const { message, ...told } = heard ?? unheard(status);
  const requestId = told.requestId ?? headers.get('x-request-id') ?? facts.requestId ?? null;
  const waitMs = retryAfterMs(headers.get('retry-after'), Date.now());
  const retryAfter = waitMs === null ? null : waitMs / 1_000;
  const all = { ...facts, ...told, status, requestId, retryAfter };
  switch (status) {
    case 401:
      return new AuthenticationError(message, all);
    case 403:
      return new PermissionError(message, all);
    case 404:
      // A 404 without an envelope comes from a proxy, which may have no route while the service
      // restarts.
      return heard
        ? new NotFoundError(message, all)
        : new UnavailableError(message, { ...all, outcomeUnknown: true });
    case 409:
      return new ConflictError(message, all);
    case 422:
      return new ValidationError(message, all);
    case 429:
      return new RateLimitError(message, all);
    default:
      // A request whose body did not arrive (408) had no effect.
      return status < 500 && status !== 408
        ? new RequestError(message, all)
        : new UnavailableError(message, {
            ...all,
            outcomeUnknown: facts.outcomeUnknown || status !== 408,
          });
  }
}

function unheard(status: number): Told {
  const message = `The answer, ${status}, is none of the service's; is something in between?`;
  return { code: 'UNEXPECTED_ANSWER', message, requestId: null, docsUrl: null, fields: [] };
}

type Fields = Record<string, unknown>;

/** In the platform envelope `error` is an object; in onboarding and OAuth it is the code. */
function envelope(body: unknown): Told | null {
  const { error, message, request_id, error_description: description } = object(body);
  if (typeof error === 'string') {
    return {
      code: error,
      message: text(message) ?? text(description) ?? error,
      requestId: text(request_id),
      docsUrl: null,
      fields: [],
    };
  }
  const platform = object(error);
  const code = text(platform.code);
  if (code === null) return null;
  return {
    code,
    message: text(platform.message) ?? code,
    requestId: text(platform.request_id),
    docsUrl: text(platform.docs_url),
    fields: fieldErrors(object(platform.details).errors),
  };
}

function fieldErrors(errors: unknown): FieldError[] {
  if (!Array.isArray(errors)) return [];
  return errors.map(object).map(({ field, message, type }) => ({
    field: text(field) ?? '',
    message: text(message) ?? '',
    type: text(type) ?? 'invalid',
  }));
}

function object(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
