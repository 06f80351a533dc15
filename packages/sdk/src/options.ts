import type { OAuthClient } from './access-tokens.js';
import { checkHeader, checkNumber } from './checks.js';
import { ConfigurationError } from './errors.js';

interface Common {
  /** Where the service is: `https://countersign.example.com`. */
  baseUrl: string;
  /** The Principal that calls act for, where the credential has several. */
  principalId?: string | undefined;
  /** For one call with all its retries and waits, in milliseconds; 20,000 where nothing is said. */
  timeoutMs?: number | undefined;
  /** At most so many times once more, where that is safe and in time; 8 where nothing is said. */
  maxRetries?: number | undefined;
  /** Lets the key travel unencrypted to another machine: inside a cluster, say. */
  allowHttp?: boolean | undefined;
  /** Who signs, where the service does not know itself by `baseUrl`. */
  issuer?: string | undefined;
  /** In place of Node's own, for a proxy or an agent of yours. */
  fetch?: typeof fetch | undefined;
}

/** An API key, or a client of OAuth2. */
export type ClientOptions = Common &
  ({ apiKey: string; oauth?: undefined } | { oauth: OAuthClient; apiKey?: undefined });

export interface Settings {
  baseUrl: string;
  timeoutMs: number;
  maxRetries: number;
  fetch: typeof fetch;
  issuer: string;
}

/**
 * A gateway that restarts ends what it has taken within 10 seconds and needs a few more to start.
 * Eight waits are at least 11 seconds together, so it is the time that ends a call, not
 * their number.
 */
export const defaultTimeoutMs = 20_000;
export const defaultRetries = 8;

/** What was given, found possible; what is not says why, and never what was given as a secret. */
export function settingsOf(options: ClientOptions): Settings {
  const { timeoutMs = defaultTimeoutMs, maxRetries = defaultRetries } = options;
  checkCredential(options);
  if (options.principalId !== undefined) checkHeader('principalId', options.principalId);
  checkNumber('timeoutMs', timeoutMs);
  checkNumber('maxRetries', maxRetries);
  const baseUrl = checkedUrl(options);
  return {
    baseUrl,
    timeoutMs,
    maxRetries,
    fetch: options.fetch ?? fetch,
    issuer: options.issuer ?? issuer(options, baseUrl),
  };
}

/** The prefix of a credential says which of the two worlds it opens. */
function issuer({ apiKey, oauth }: ClientOptions, baseUrl: string): string {
  const isSandbox = /^(svc_test_|svcoc_test_|prn_)/.test(apiKey ?? oauth?.clientId ?? '');
  return isSandbox ? `${baseUrl}/sandbox` : baseUrl;
}

function checkCredential({ apiKey, oauth }: ClientOptions): void {
  if ((apiKey === undefined) === (oauth === undefined)) {
    throw new ConfigurationError('Give either apiKey or oauth.');
  }
  if (apiKey !== undefined) checkHeader('apiKey', apiKey);
  if (oauth === undefined) return;
  checkHeader('oauth.clientId', oauth.clientId);
  checkHeader('oauth.clientSecret', oauth.clientSecret);
}

export function checkedUrl({
  baseUrl,
  allowHttp = false,
}: Pick<Common, 'baseUrl' | 'allowHttp'>): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigurationError('baseUrl must be an address such as https://pay.example.com.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ConfigurationError('baseUrl must have no credentials, no query and no fragment.');
  }
  if (/\/api\/v1\/*$/.test(url.pathname)) {
    throw new ConfigurationError('baseUrl must end before /api/v1, which the client adds.');
  }
  if (url.protocol === 'http:' && !allowHttp && !isThisMachine(url.hostname)) {
    throw new ConfigurationError(
      'baseUrl must be https, or the key can be read on its way; allowHttp permits it.',
    );
  }
  return url.href.replace(/\/+$/, '');
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
