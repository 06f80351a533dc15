import { isRecord } from '@countersign/kernel/is-record';
import type { z } from 'zod';
import { JsonNumber } from '../json/number.js';

/** The options of a refinement: the message a caller reads and the type that `details` names. */
export function rule(type: string, message: string) {
  return { error: message, params: { type } };
}

/**
 * The same for a hand-made type, where zod would otherwise stop at the first mistake: the checks
 * across fields shall still be able to say what else is wrong.
 */
export function typeRule(type: string, message: string) {
  return { ...rule(type, message), abort: false };
}

/**
 * Options that let a check across fields run even when single fields are already wrong; of what is
 * no object, it would only miss fields that have no place there.
 */
export const always = { when: ({ value }: { value: unknown }) => isFields(value) };

function isFields(value: unknown): boolean {
  return isRecord(value) && !(value instanceof JsonNumber);
}

interface Finding {
  path: Array<string | number>;
  type: string;
  message: string;
}

/** Reports what a check across several fields has found. */
export function report(context: z.RefinementCtx, { path, type, message }: Finding): void {
  context.addIssue({ code: 'custom', path, message, params: { type } });
}

/** The value as an object whose fields are not known to be right yet. */
export function loose(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
