import { randomUUID } from 'node:crypto';
import { AuthenticationError, CountersignError } from '../errors.js';
import { version } from '../version.js';
import { bounded } from './bounded.js';
import type { Answer, Call } from './call.js';
import { type Facts, failure, mayRepeat, ofCall, tooLate } from './failure.js';
import { pause } from './pause.js';
import { parsed, readText, Unreadable } from './read-answer.js';
import { refusal } from './refusal.js';
import { backoffMs } from './retry.js';

export interface TransportOptions {
  baseUrl: string;
  timeoutMs: number;
  maxRetries: number;
  fetch: typeof fetch;
}

/**
 * Timeout of one attempt, so that a hanging one leaves time for another; the service itself answers
 * much sooner.
 */
const attemptMs = 5_000;

/**
 * One attempt of a call, or of a token request for it: ids for logs and errors, and its deadline.
 */
interface Attempt {
  facts: Facts & { requestId: string };
  endsAt: number;
}

interface Exchange {
  facts: Attempt['facts'];
  ms: number;
  credential: Record<string, string>;
}

/** Sends a call until it is answered, within its deadline; retries only if that is safe. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** @throws CountersignError, or the reason of the caller's signal. */
  async send(call: Call): Promise<Answer> {
    const { timeoutMs, maxRetries } = { ...this.#options, ...given(call.options) };
    const requestId = call.options.requestId ?? `req_${randomUUID()}`;
    const { idempotencyKey, repeatable } = call;
    const endsAt = performance.now() + timeoutMs;
    let outcomeUnknown = false;
    for (let attempts = 1; ; attempts += 1) {
      const attemptEndsAt = performance.now() + (repeatable ? attemptMs : timeoutMs);
      const facts = { requestId, attempts, idempotencyKey, outcomeUnknown };
      const answer = await this.#answer(call, { facts, endsAt: Math.min(endsAt, attemptEndsAt) });
      if (!(answer instanceof CountersignError)) return answer;
      // Whatever the last attempt ends with, an earlier one may have taken effect.
      outcomeUnknown = answer.outcomeUnknown;
      if (attempts > maxRetries || !mayRepeat(answer, repeatable)) throw answer;
      const waitMs = backoffMs(attempts) + 1_000 * (answer.retryAfter ?? 0);
      // A retry could not be answered in time, and this error names the cause.
      if (performance.now() + waitMs >= endsAt) throw answer;
      await pause(waitMs, call.options.signal);
    }
  }

  /** Tries once more with other headers, if these were refused and others are available. */
  async #answer(call: Call, attempt: Attempt): Promise<Answer | CountersignError> {
    const { facts, endsAt } = attempt;
    for (let isFirst = true; ; isFirst = false) {
      const credential = await credentialFor(call, attempt);
      if (credential instanceof CountersignError) return credential;
      const ms = endsAt - performance.now();
      if (ms <= 0) return tooLate(facts);
      const answer = await this.#exchange(call, { facts, ms, credential });
      if (!isFirst || !(answer instanceof AuthenticationError)) return answer;
      if (!call.credential?.refused(credential, answer)) return answer;
    }
  }

  async #exchange(
    call: Call,
    { facts, ms, credential }: Exchange,
  ): Promise<Answer | CountersignError> {
    const { signal } = call.options;
    try {
      return await bounded({ ms, signal }, async (within) => {
        const response = await this.#request(call, { facts, credential, signal: within });
        const { status, headers, ok } = response;
        const text = await readText(response);
        const body = text === '' ? undefined : parsed(text);
        if (!ok) return refusal({ status, headers, body, facts });
        if (status !== 204 && body === undefined) throw new Unreadable('it is no JSON');
        return { status, headers, body, facts };
      });
    } catch (error) {
      signal?.throwIfAborted();
      return failure(error, facts);
    }
  }

  #request(
    { method, path, headers, body }: Call,
    sent: { facts: Attempt['facts']; credential: Record<string, string>; signal: AbortSignal },
  ): Promise<Response> {
    return this.#options.fetch(`${this.#options.baseUrl}${path}`, {
      method: method.toUpperCase(),
      headers: {
        accept: 'application/json',
        'user-agent': `countersign-sdk-node/${version}`,
        'x-request-id': sent.facts.requestId,
        ...(body !== null && { 'content-type': 'application/json' }),
        ...headers,
        ...sent.credential,
      },
      body,
      // A redirect must not send the credential to another host.
      redirect: 'manual',
      signal: sent.signal,
    });
  }
}

/** An error if there is none, which is retried like one of the call itself. */
async function credentialFor(
  { credential, options }: Call,
  { facts, endsAt }: Attempt,
): Promise<Record<string, string> | CountersignError> {
  const ms = Math.max(0, endsAt - performance.now());
  try {
    return (await credential?.headers({ ms, signal: options.signal })) ?? {};
  } catch (error) {
    if (error instanceof CountersignError) return ofCall(error, facts);
    throw error;
  }
}

function given({ timeoutMs, maxRetries }: Call['options']) {
  return {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(maxRetries !== undefined && { maxRetries }),
  };
}
