/** What opens the service. Its headers are made for one request and kept nowhere else. */
export interface Credential {
  /** Within so many milliseconds, and not after the signal. */
  headers(within: Within): Promise<Record<string, string>>;
  /** The service answered 401 to these headers; true where it makes sense to ask for others. */
  refused(headers: Record<string, string>): boolean;
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
