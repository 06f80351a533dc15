import type { FieldError } from '@countersign/kernel/fault';

/**
 * Bounds the size of an error answer. It is more than the errors of any sensible request need, and
 * keeps a hostile one from causing an answer many times its own size.
 */
export const maxErrorBytes = 4 * 1024 * 1024;

/** Appended where the list of errors was cut off. */
const notAllErrors: FieldError = {
  field: '',
  message: 'has more errors than are listed; correct these first',
  type: 'too_many_errors',
};

/**
 * Removes duplicates, since parser and schema may report the same error. Takes the errors lazily,
 * so that those beyond the bound are never created.
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

/** Collects errors up to the bound. */
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

/** Size of an error in an answer. */
function errorBytes(error: FieldError): number {
  return Buffer.byteLength(JSON.stringify(error)) + 1;
}
