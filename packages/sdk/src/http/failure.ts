import {
  type CountersignError,
  DeadlineError,
  type ErrorFacts,
  RateLimitError,
  UnavailableError,
} from '../errors.js';
import { TimedOut } from './bounded.js';
import { Unreadable } from './read-answer.js';

/** Of a try; `outcomeUnknown` is what is known of those before it. */
export type Facts = Pick<
  ErrorFacts,
  'requestId' | 'attempts' | 'idempotencyKey' | 'outcomeUnknown'
>;

/**
 * A request that brought no answer, in our own words: a fetch that is not Node's may have put the
 * request, with its key, into what it throws.
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

/** The time of a call was over before this try of it was sent. */
export function tooLate(facts: Facts): DeadlineError {
  return new DeadlineError('There was no answer in time.', { ...facts, code: 'DEADLINE' });
}

/**
 * What went wrong with the access token of a call, which others may have waited for too. Nothing
 * was sent at this try, but the call keeps its key and what is known of the tries before.
 */
export function ofCall(
  error: CountersignError,
  { attempts, idempotencyKey, outcomeUnknown }: Facts,
): CountersignError {
  const Kind = error.constructor as new (message: string, facts: ErrorFacts) => CountersignError;
  return new Kind(error.message, { ...error, attempts, idempotencyKey, outcomeUnknown });
}

/** Failures of a request that never left. */
const neverSent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const maxCauses = 5;

/** Such as ECONNREFUSED, from wherever in the chain of causes it stands. */
function failureCode(thrown: unknown): string | null {
  let cause = thrown;
  for (let depth = 0; depth < maxCauses && typeof cause === 'object' && cause; depth += 1) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code)) return code;
    cause = (cause as { cause?: unknown }).cause;
  }
  return null;
}

/** The request before, with the same key, is still being carried out: its answer will come. */
const inProgress = 'idempotency_key_in_progress';

/** Sending the same once more cannot do anything twice. */
export function mayRepeat(error: CountersignError, repeatable: boolean): boolean {
  if (error instanceof RateLimitError) return true;
  if (error instanceof UnavailableError) return repeatable || !error.outcomeUnknown;
  return repeatable && error.code === inProgress;
}
