import { type InText, inText } from '../amount.js';
import { checkNumber } from '../checks.js';
import { CountersignError, DeadlineError, RateLimitError, UnavailableError } from '../errors.js';
import type { components } from '../generated/openapi.js';
import type { CallOptions } from '../http/call.js';
import { pause } from '../http/pause.js';
import type { Wire } from '../http/wire.js';
import { Pages } from '../pages.js';
import { type ListOptions, pageOf } from './list.js';
import { Log, type LogEntry } from './log.js';

type Schemas = components['schemas'];
export type PendingStepUp = InText<Schemas['PendingStepUp'], 'amount'>;
export type StepUpConfirmed = Schemas['StepUpConfirmed'];
export type StepUpDenied = Schemas['StepUpDenied'];

export interface WaitOptions {
  principalId?: string | undefined;
  signal?: AbortSignal | undefined;
  /**
   * How long to wait in total; 10 minutes by default, twice the default lifetime of a challenge. At
   * most a day.
   */
  forMs?: number | undefined;
  /** Polling interval in milliseconds; 2,000 by default. */
  everyMs?: number | undefined;
}

const waitMs = 600_000;
const lookMs = 2_000;
const leastLookMs = 1_000;
const maxPollMs = 10_000;

/** Payments that wait for a human. Answers to a challenge are never retried automatically. */
export class StepUps {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Unanswered challenges, newest first. */
  pending({ limit, ...options }: ListOptions = {}): Pages<PendingStepUp> {
    return new Pages(async (cursor) => {
      const asked = { query: { limit, cursor }, options };
      const page = await this.#wire.call('get', '/api/v1/authorize/step-up/pending', asked);
      return pageOf(page, (challenge) => inText(challenge, 'amount'));
    });
  }

  confirm(authorizationId: string, options?: CallOptions): Promise<StepUpConfirmed> {
    const params = { authorization_id: authorizationId };
    const path = '/api/v1/authorize/step-up/{authorization_id}/confirm';
    return this.#wire.call('post', path, { params, options });
  }

  deny(
    authorizationId: string,
    { reason, ...options }: CallOptions & { reason?: string | undefined } = {},
  ): Promise<StepUpDenied> {
    const params = { authorization_id: authorizationId };
    const body = reason === undefined ? {} : { reason };
    const path = '/api/v1/authorize/step-up/{authorization_id}/deny';
    return this.#wire.call('post', path, { params, body, options });
  }

  /** Confirms with the code sent to the human; the fifth wrong code denies the payment. */
  verifyCode(
    authorizationId: string,
    code: string,
    options?: CallOptions,
  ): Promise<StepUpConfirmed> {
    const params = { authorization_id: authorizationId };
    const path = '/api/v1/authorize/step-up/{authorization_id}/verify-otp';
    return this.#wire.call('post', path, { params, body: { code }, options });
  }

  /** Polls until the challenge is confirmed, denied or expired; `decision` is the final one. */
  async answered(authorizationId: string, options: WaitOptions = {}): Promise<LogEntry> {
    const { forMs = waitMs, everyMs = lookMs, signal, principalId } = options;
    checkNumber('forMs', forMs);
    checkNumber('everyMs', everyMs);
    const log = new Log(this.#wire);
    const endsAt = performance.now() + forMs;
    for (;;) {
      const look = { signal, principalId, timeoutMs: lookTimeoutMs(endsAt - performance.now()) };
      const seen = await log.get(authorizationId, look).catch(unseen);
      const isFault = seen instanceof CountersignError;
      if (!isFault && seen.step_up?.status !== 'PENDING') return seen;
      if (performance.now() + everyMs > endsAt) throw isFault ? seen : unanswered();
      await pause(everyMs, signal);
    }
  }
}

/** Timeout of one poll with its retries; the last poll still gets a useful minimum. */
function lookTimeoutMs(leftMs: number): number {
  return Math.ceil(Math.min(maxPollMs, Math.max(leastLookMs, leftMs)));
}

/** An unavailable service does not end the wait: the next poll may succeed. */
function unseen(error: unknown): CountersignError {
  if (error instanceof UnavailableError || error instanceof RateLimitError) return error;
  throw error;
}

function unanswered(): DeadlineError {
  const message = 'Nobody has answered the challenge in time.';
  return new DeadlineError(message, { code: 'DEADLINE', outcomeUnknown: false });
}
