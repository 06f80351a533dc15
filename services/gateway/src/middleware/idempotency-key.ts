import type { IncomingMessage } from 'node:http';
import type { FieldError } from '@countersign/kernel/fault';

export const idempotencyKeyForm = /^[\x20-\x7e]{1,255}$/;

/** Null where a caller sends none. */
export function idempotencyKeyOf({ headers }: Pick<IncomingMessage, 'headers'>): string | null {
  return headers['idempotency-key']?.toString() ?? null;
}

/** What is wrong with it, to be told with all that is wrong with the body. */
export function idempotencyKeyProblems(req: Pick<IncomingMessage, 'headers'>): FieldError[] {
  const key = idempotencyKeyOf(req);
  if (key === null || idempotencyKeyForm.test(key)) return [];
  const message = 'must be 1 to 255 visible ASCII characters';
  return [{ field: 'Idempotency-Key', type: 'invalid_format', message }];
}
