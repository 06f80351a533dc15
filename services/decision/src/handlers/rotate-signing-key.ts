import type { Context } from '../context.js';
import type { DecisionHandlers } from './handler.js';

/** NEXT signs, ACTIVE retires, a fresh NEXT is published. Asked twice, it rotates twice. */
export function rotateSigningKey(context: Context): DecisionHandlers['RotateSigningKey'] {
  return async (_request, call) => {
    const rotated = await context.signing[call.environment].rotate();
    call.log.info(rotated, 'signing keys rotated');
    return rotated;
  };
}
