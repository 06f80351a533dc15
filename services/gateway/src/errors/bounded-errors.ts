import type { FieldError } from '@countersign/kernel/fault';

/**
 * Bound the errors of an answer: more than the mistakes of any sensible request, a few in each row
 * of the largest batch, and few enough that a hostile one costs no more than one that is right.
 */
const maxErrors = 1_000;
const maxErrorBytes = 256 * 1024;

/** The last one where there are more errors than are listed. */
const notAllErrors: FieldError = {
  field: '',
  message: 'has more errors than are listed; correct these first',
  type: 'too_many_errors',
};

/** True of a list that has no room for another error. */
export function isFull(errors: readonly FieldError[]): boolean {
  return errors.at(-1) === notAllErrors;
}

/** Takes the errors lazily, so that those beyond the bounds are never created. */
export function boundedErrors(sources: Iterable<Iterable<FieldError>>): FieldError[] {
  const list = new ErrorList();
  for (const errors of sources) {
    for (const error of errors) {
      list.add(error);
      if (list.full) return list.all();
    }
  }
  return list.all();
}

/** Collects errors within the bounds, each once: parser and schema may report the same. */
export class ErrorList {
  readonly #found = new Map<string, FieldError>();
  #bytes = 0;
  #full = false;

  /** True once it says that there are more. */
  get full(): boolean {
    return this.#full;
  }

  all(): FieldError[] {
    return [...this.#found.values()];
  }

  add(error: FieldError): void {
    const name = `${error.field} ${error.type}`;
    if (this.#full || this.#found.has(name)) return;
    this.#bytes += errorBytes(error);
    // The errors of a list that was full already end in the one that says so.
    this.#full =
      error === notAllErrors || this.#found.size === maxErrors || this.#bytes > maxErrorBytes;
    this.#found.set(name, this.#full ? notAllErrors : error);
  }
}

/** Size of an error in an answer. */
function errorBytes(error: FieldError): number {
  return Buffer.byteLength(JSON.stringify(error)) + 1;
}
