import type { OAuthClient } from './access-tokens.js';
import { checkHeader, checkNumber } from './checks.js';
import { ConfigurationError } from './errors.js';

interface Common {
  /** Address of the service: `https://countersign.example.com`. */
  baseUrl: string;
  /** The Principal to act for, if the credential covers several. */
  principalId?: string | undefined;
  /** Timeout of one call including all retries, in milliseconds; 20,000 by default. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries, where they are safe and in time; 8 by default. */
  maxRetries?: number | undefined;
  /** Allows the key to be sent unencrypted to another machine, for example inside a cluster. */
  allowHttp?: boolean | undefined;
  /** Issuer of attestations, if the service does not know itself by `baseUrl`. */
  issuer?: string | undefined;
  /** Replaces Node's fetch, for example for a proxy or a custom agent. */
  fetch?: typeof fetch | undefined;
}

/** An API key, or an OAuth2 client. */
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
 * Default deadline. A gateway that restarts finishes its requests within 10 seconds and needs a few
 * more to start. Eight backoffs take at least 11 seconds in total, so that usually the deadline
 * ends a call and not the number of retries.
 */
export const defaultTimeoutMs = 20_000;
export const defaultRetries = 8;

/** Validates the options. Error messages never contain a secret. */
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

/** The prefix of a credential selects live or sandbox. */
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
