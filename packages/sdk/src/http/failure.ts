import {
  type CountersignError,
  DeadlineError,
  type ErrorFacts,
  RateLimitError,
  UnavailableError,
} from '../errors.js';
import { TimedOut } from './bounded.js';
import { Unreadable } from './read-answer.js';

/** Facts about one attempt; `outcomeUnknown` refers to the attempts before it. */
export type Facts = Pick<
  ErrorFacts,
  'requestId' | 'attempts' | 'idempotencyKey' | 'outcomeUnknown'
>;

/**
 * An error for a request without a response. The message is our own, because a custom fetch may
 * include the request, with its key, in what it throws.
 */
export function failure(thrown: unknown, facts: Facts): UnavailableError {
  if (thrown instanceof TimedOut) {
    const all = { ...facts, code: 'DEADLINE', outcomeUnknown: true };
    return new DeadlineError('There was no answer in time.', all);
  }
  if (thrown instanceof Unreadable) {
    const all = { ...facts, code: 'UNEXPECTED_ANSWER', outcomeUnknown: true };
    return new UnavailableError(`No answer of the service's: ${thrown.message}.`, all);
  }
  const code = failureCode(thrown);
  const outcomeUnknown = facts.outcomeUnknown || code === null || !neverSent.has(code);
  const message = `The service could not be reached${code === null ? '' : `: ${code}`}.`;
  return new UnavailableError(message, { ...facts, code: 'NO_ANSWER', outcomeUnknown });
}

/** The deadline passed before this attempt was sent. */
export function tooLate(facts: Facts): DeadlineError {
  return new DeadlineError('There was no answer in time.', { ...facts, code: 'DEADLINE' });
}

/**
 * An access token could not be obtained for a call; other calls may have waited for the same token.
 * Nothing was sent in this attempt, but the call keeps its idempotency key and the outcome of its
 * earlier attempts.
 */
export function ofCall(
  error: CountersignError,
  { attempts, idempotencyKey, outcomeUnknown }: Facts,
): CountersignError {
  const Kind = error.constructor as new (message: string, facts: ErrorFacts) => CountersignError;
  return new Kind(error.message, { ...error, attempts, idempotencyKey, outcomeUnknown });
}

/** Error codes of requests that were never sent. */
const neverSent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const maxCauses = 5;

/** An error code such as ECONNREFUSED, from anywhere in the chain of causes. */
function failureCode(thrown: unknown): string | null {
  let cause = thrown;
  for (let depth = 0; depth < maxCauses && typeof cause === 'object' && cause; depth += 1) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code)) return code;
    cause = (cause as { cause?: unknown }).cause;
  }
  return null;
}

/** An earlier request with the same key is still in progress; a retry will get its answer. */
const inProgress = 'idempotency_key_in_progress';

/** Whether a retry is safe, that is, cannot take effect twice. */
export function mayRepeat(error: CountersignError, repeatable: boolean): boolean {
  if (error instanceof RateLimitError) return true;
  if (error instanceof UnavailableError) return repeatable || !error.outcomeUnknown;
  return repeatable && error.code === inProgress;
}
