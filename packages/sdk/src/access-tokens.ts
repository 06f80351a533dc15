import type { Credential, Within } from './credential.js';
import { DeadlineError, UnavailableError } from './errors.js';
import { bounded, TimedOut } from './http/bounded.js';
import type { Answer } from './http/call.js';
import type { Transport } from './http/transport.js';

export interface OAuthClient {
  /** `svcoc_live_…` or `svcoc_test_…`; in the sandbox also a `prn_…`, whose key is the secret. */
  clientId: string;
  /** `svcos_…` */
  clientSecret: string;
  /** Separated by spaces; all that the client has where it is not given. */
  scope?: string | undefined;
}

interface Token {
  text: string;
  endsAt: number;
  renewsAt: number;
}

/** How long before its end a token is renewed; of a short one, a fifth of its time. */
const renewalMs = 60_000;
const exchangeTimeoutMs = 10_000;

/** Bearer tokens: fetched once for all who wait for one, and renewed before they end. */
export class AccessTokens implements Credential {
  readonly #client: OAuthClient;
  readonly #transport: Transport;
  readonly #clock: () => number;
  #token: Token | null = null;
  #coming: Promise<Token> | null = null;

  /** By a clock that nobody sets back. */
  constructor(client: OAuthClient, transport: Transport, clock = () => performance.now()) {
    this.#client = client;
    this.#transport = transport;
    this.#clock = clock;
  }

  async headers(within: Within): Promise<Record<string, string>> {
    const { text } = await this.#current(within);
    return { authorization: `Bearer ${text}` };
  }

  /** It may have been revoked or rotated away; a new one shows whether the client still is good. */
  refused({ authorization }: Record<string, string>): boolean {
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
    // Good for a while yet: nobody waits, and whoever comes after its end hears what went wrong.
    coming.catch(() => {});
    return token;
  }

  /** One exchange at a time, whoever asks. */
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

/** Whoever stops waiting stops alone: the exchange is that of all. */
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
