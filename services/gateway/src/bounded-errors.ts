import type { FieldError } from '@countersign/kernel/fault';

/**
 * All that may be wrong with a request that somebody meant is told. Twice the largest body is more
 * than that takes, and keeps what nobody meant from asking for an answer many times its size.
 */
export const maxErrorBytes = 4 * 1024 * 1024;

/** The last error of an answer that does not name all of them. */
export const notAllErrors: FieldError = {
  field: '',
  message: 'has more errors than are listed; correct these first',
  type: 'too_many_errors',
};

/**
 * Each error once, for what the parser has refused may be refused by a schema again. Errors are
 * taken one by one, so that those beyond the bound are not even made.
 */
export function boundedErrors(sources: Iterable<Iterable<FieldError>>): FieldError[] {
  const found = new Map<string, FieldError>();
  let bytes = 0;
  let all = true;
  for (const errors of sources) {
    for (const error of errors) {
      const name = `${error.field} ${error.type}`;
      if (error === notAllErrors) all = false;
      if (error === notAllErrors || found.has(name)) continue;
      bytes += errorBytes(error);
      if (bytes > maxErrorBytes) return [...found.values(), notAllErrors];
      found.set(name, error);
    }
  }
  return all ? [...found.values()] : [...found.values(), notAllErrors];
}

/** Errors as long as they fit; those beyond are not even made. */
export class ErrorList {
  readonly all: FieldError[] = [];
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(make: () => FieldError): void {
    if (this.#bytes > this.#maxBytes) return;
    const error = make();
    this.#bytes += errorBytes(error);
    this.all.push(this.#bytes > this.#maxBytes ? notAllErrors : error);
  }
}

/** What an error weighs in an answer. */
function errorBytes(error: FieldError): number {
  return Buffer.byteLength(JSON.stringify(error)) + 1;
}
