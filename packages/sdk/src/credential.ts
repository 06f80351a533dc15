import type { AuthenticationError } from './errors.js';

/** A credential for the service. Its headers are created per request and not stored elsewhere. */
export interface Credential {
  /** Within this many milliseconds, and not after the signal. */
  headers(within: Within): Promise<Record<string, string>>;
  /**
   * Called when the service answered 401 to these headers; true if other headers are worth a try.
   */
  refused(headers: Record<string, string>, error: AuthenticationError): boolean;
}

export interface Within {
  ms: number;
  signal: AbortSignal | undefined;
}

export class ApiKey implements Credential {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  async headers(): Promise<Record<string, string>> {
    return { 'x-api-key': this.#key };
  }

  refused(): boolean {
    return false;
  }
}
