import type { Credential } from '../credential.js';
import type { Facts } from './failure.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** What may be said of any call. */
export interface CallOptions {
  /** Whom the call acts for, in place of the client's `principalId`. */
  principalId?: string | undefined;
  /** For the whole call with its retries, in milliseconds. */
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  /** Ends the call; it then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Up to 128 visible ASCII characters; the service writes them to its logs. */
  requestId?: string | undefined;
}

/** One call, whole: what is sent, and what may be done when no answer comes. */
export interface Call {
  method: Method;
  /** With its parameters filled in, and its query. */
  path: string;
  headers: Record<string, string>;
  /** JSON text. */
  body: string | null;
  credential: Credential | null;
  /** Sending it twice does what sending it once does. */
  repeatable: boolean;
  idempotencyKey: string | null;
  options: CallOptions;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed; undefined where there is none. */
  body: unknown;
  facts: Facts;
}
