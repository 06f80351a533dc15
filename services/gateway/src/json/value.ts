import type { FieldError } from '@countersign/kernel/fault';
import type { JsonNumber } from './number.js';

export const maxJsonDepth = 32;
export const maxJsonKeys = 1_000;

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonNumber
  | JsonValue[]
  | { [key: string]: JsonValue };

export interface ParsedJson {
  value: JsonValue;
  /** Errors that a schema cannot find any more; to be reported together with those it finds. */
  problems: FieldError[];
}

/** The text is not JSON as this API takes it. The message is fit for the caller. */
export class JsonError extends Error {
  constructor(
    reason: string,
    readonly position: number,
  ) {
    super(`The body is not valid JSON: ${reason} at character ${position}.`);
    this.name = 'JsonError';
  }
}
