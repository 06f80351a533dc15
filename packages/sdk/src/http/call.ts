import type { Credential } from '../credential.js';
import type { Facts } from './failure.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Options of any call. */
export interface CallOptions {
  /** The Principal to act for, instead of the client's `principalId`. */
  principalId?: string | undefined;
  /** Timeout of the whole call including retries, in milliseconds. */
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  /** Aborts the call, which then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Up to 128 visible ASCII characters; appears in the service's logs. */
  requestId?: string | undefined;
}

/** One complete call: what to send, and how it may be retried. */
export interface Call {
  method: Method;
  /** Path with parameters and query filled in. */
  path: string;
  headers: Record<string, string>;
  /** JSON text. */
  body: string | null;
  credential: Credential | null;
  /** True if sending it twice has the same effect as sending it once. */
  repeatable: boolean;
  idempotencyKey: string | null;
  options: CallOptions;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed JSON; undefined if there is none. */
  body: unknown;
  facts: Facts;
}
