import type { Context } from '../context.js';
import type { DecisionHandlers } from './handler.js';

/** Makes NEXT active, retires ACTIVE and creates a new NEXT. Not idempotent. */
export function rotateSigningKey(context: Context): DecisionHandlers['RotateSigningKey'] {
  return async (_request, call) => {
    const rotated = await context.signing[call.environment].rotate();
    call.log.info(rotated, 'signing keys rotated');
    return rotated;
  };
}
