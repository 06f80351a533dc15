import { Fault, type FieldError, invalidField } from '@countersign/kernel/fault';

/** Narrows a value to one of the values that the contract allows; throws 422 for any other. */
export function oneOf<T extends string>(field: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) {
    throw invalidField(field, 'invalid_value', `${field} must be one of ${allowed.join(', ')}.`);
  }
  return found;
}

/** Reports an invalid field: its wire name, a machine-readable type, a human-readable message. */
export type Report = (field: string, type: string, message: string) => void;

/** Collects all invalid fields, so that one error reports them together. */
export class FieldErrors {
  readonly #errors: FieldError[] = [];
  readonly #prefix: string;

  /** The prefix is the path of the object within the request body, for example `mandate.`. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  readonly report: Report = (field, type, message) => {
    this.#errors.push({ field: this.#prefix + field, type, message });
  };

  throwIfAny(): void {
    const [first] = this.#errors;
    if (!first) return;
    const { message } = first;
    throw new Fault('invalid', { code: 'VALIDATION_ERROR', message, errors: this.#errors });
  }
}
