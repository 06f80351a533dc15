import type { FieldError } from '@countersign/kernel/fault';
import type { z } from 'zod';
import { parseJson } from '../json/parse.js';
import { fieldErrors } from '../schemas/field-errors.js';

/** As the gateway does it: read strictly from text, then checked. */
export function read(text: string): unknown {
  return parseJson(Buffer.from(text)).value;
}

export function errorsOf(schema: z.ZodType, input: unknown): FieldError[] {
  const result = schema.safeParse(input);
  return result.success ? [] : [...fieldErrors(result.error, input)];
}

/** `field:type` of every error, in order. */
export function problems(schema: z.ZodType, input: unknown): string[] {
  return errorsOf(schema, input).map(({ field, type }) => `${field}:${type}`);
}
