import { Fault } from '@countersign/kernel/fault';
import type { DecisionHandlers } from './handler.js';

/** Nothing is attested yet, so there is no key to rotate. */
export function rotateSigningKey(): DecisionHandlers['RotateSigningKey'] {
  return async () => {
    throw new Fault('conflict', {
      code: 'CONFLICT',
      message: 'There is no signing key to rotate.',
    });
  };
}
