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

/** An attempt that hangs leaves time for another; the service itself gives up much sooner. */
const attemptMs = 5_000;

/** One try of a call, with a token for it: its names in logs and errors, and when it has to end. */
interface Attempt {
  facts: Facts & { requestId: string };
  endsAt: number;
}

interface Exchange {
  facts: Attempt['facts'];
  ms: number;
  credential: Record<string, string>;
}

/** Sends a call until it is answered, within its deadline, and again only where that is safe. */
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
      // Whatever the last try ends with, one before it may have been carried out.
      outcomeUnknown = answer.outcomeUnknown;
      if (attempts > maxRetries || !mayRepeat(answer, repeatable)) throw answer;
      const waitMs = backoffMs(attempts) + 1_000 * (answer.retryAfter ?? 0);
      // No other answer could come in time, and this one says what is wrong.
      if (performance.now() + waitMs >= endsAt) throw answer;
      await pause(waitMs, call.options.signal);
    }
  }

  /** Once more with other headers, where these were refused and others can be had. */
  async #answer(call: Call, attempt: Attempt): Promise<Answer | CountersignError> {
    const { facts, endsAt } = attempt;
    for (let isFirst = true; ; isFirst = false) {
      const credential = await credentialFor(call, attempt);
      const ms = endsAt - performance.now();
      if (ms <= 0) return tooLate(facts);
      const answer = await this.#exchange(call, { facts, ms, credential });
      const isRefused = answer instanceof AuthenticationError && isFirst;
      if (!isRefused || !call.credential?.refused(credential)) return answer;
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
      // A credential goes where it was meant to go and nowhere else.
      redirect: 'manual',
      signal: sent.signal,
    });
  }
}

async function credentialFor(
  { credential, options }: Call,
  { facts, endsAt }: Attempt,
): Promise<Record<string, string>> {
  const ms = Math.max(0, endsAt - performance.now());
  try {
    return (await credential?.headers({ ms, signal: options.signal })) ?? {};
  } catch (error) {
    throw error instanceof CountersignError ? ofCall(error, facts) : error;
  }
}

function given({ timeoutMs, maxRetries }: Call['options']) {
  return {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(maxRetries !== undefined && { maxRetries }),
  };
}
