import type { Credential, Within } from './credential.js';
import { type AuthenticationError, DeadlineError, UnavailableError } from './errors.js';
import { bounded, TimedOut } from './http/bounded.js';
import type { Answer } from './http/call.js';
import type { Transport } from './http/transport.js';

export interface OAuthClient {
  /**
   * `svcoc_live_…` or `svcoc_test_…`; in the sandbox also a `prn_…`, with its API key as the
   * secret.
   */
  clientId: string;
  /** `svcos_…` */
  clientSecret: string;
  /** Separated by spaces; by default all scopes of the client. */
  scope?: string | undefined;
}

interface Token {
  text: string;
  endsAt: number;
  renewsAt: number;
}

/**
 * How long before it expires a token is renewed; a short-lived one in the last fifth of its
 * lifetime.
 */
const renewalMs = 60_000;
const exchangeTimeoutMs = 10_000;

/** Bearer tokens: fetched once for all concurrent calls, and renewed before they expire. */
export class AccessTokens implements Credential {
  readonly #client: OAuthClient;
  readonly #transport: Transport;
  readonly #clock: () => number;
  #token: Token | null = null;
  #coming: Promise<Token> | null = null;

  /** Uses a monotonic clock. */
  constructor(client: OAuthClient, transport: Transport, clock = () => performance.now()) {
    this.#client = client;
    this.#transport = transport;
    this.#clock = clock;
  }

  async headers(within: Within): Promise<Record<string, string>> {
    const { text } = await this.#current(within);
    return { authorization: `Bearer ${text}` };
  }

  /**
   * The token may have been revoked or rotated; a new one shows whether the client is still valid.
   * A 401 with another code or with a type is about the call, and a new token would change nothing.
   */
  refused({ authorization }: Record<string, string>, error: AuthenticationError): boolean {
    if (error.code !== 'ERROR' || error.fields.length > 0) return false;
    if (`Bearer ${this.#token?.text}` === authorization) this.#token = null;
    return true;
  }

  async #current(within: Within): Promise<Token> {
    within.signal?.throwIfAborted();
    const token = this.#token;
    const now = this.#clock();
    if (token && now < token.renewsAt) return token;
    const coming = this.#exchanged();
    if (!token || now >= token.endsAt) return waited(coming, within);
    // The current token is still valid, so nobody waits for the renewal; if it fails, the calls
    // after the expiry report it.
    coming.catch(() => {});
    return token;
  }

  /** At most one token request at a time, shared by all callers. */
  #exchanged(): Promise<Token> {
    this.#coming ??= this.#exchange().finally(() => {
      this.#coming = null;
    });
    return this.#coming;
  }

  async #exchange(): Promise<Token> {
    const { clientId, clientSecret, scope } = this.#client;
    const fields = { grant_type: 'client_credentials', client_id: clientId };
    const startedAt = this.#clock();
    const answer = await this.#transport.send({
      method: 'post',
      path: '/api/v1/oauth/token',
      headers: {},
      body: JSON.stringify({ ...fields, client_secret: clientSecret, scope }),
      credential: null,
      repeatable: true,
      idempotencyKey: null,
      options: { timeoutMs: exchangeTimeoutMs },
    });
    const { text, lifetimeMs } = tokenIn(answer);
    const endsAt = startedAt + lifetimeMs;
    this.#token = { text, endsAt, renewsAt: endsAt - Math.min(renewalMs, lifetimeMs / 5) };
    return this.#token;
  }
}

function tokenIn({ body, facts }: Answer): { text: string; lifetimeMs: number } {
  const { access_token: text, expires_in: seconds } = (body ?? {}) as Record<string, unknown>;
  if (typeof text === 'string' && /^[\w.~+/-]+=*$/.test(text) && typeof seconds === 'number') {
    return { text, lifetimeMs: seconds * 1_000 };
  }
  const told = { ...facts, code: 'UNEXPECTED_ANSWER', outcomeUnknown: false };
  throw new UnavailableError('The answer to the exchange of a token has no token.', told);
}

/** An aborted caller stops waiting without cancelling the request, which others share. */
function waited(coming: Promise<Token>, within: Within): Promise<Token> {
  return bounded(within, (signal) => {
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return Promise.race([coming, ended]);
  }).catch((error: unknown) => {
    if (!(error instanceof TimedOut)) throw error;
    const told = { code: 'DEADLINE', outcomeUnknown: false };
    throw new DeadlineError('There was no access token in time.', told);
  });
}
