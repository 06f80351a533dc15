import { Fault } from '@countersign/kernel/fault';

/** A message field that is always set, though the generated type is optional. Throws otherwise. */
export function present<T>(value: T | null | undefined): T {
  if (value !== null && value !== undefined) return value;
  throw new Fault('internal', {
    message: 'Something went wrong on our side.',
    internal: 'an answer lacks a part that it always has',
  });
}
