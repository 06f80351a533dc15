import { Fault } from '@countersign/kernel/fault';
import type { NotifierDefinition } from '@countersign/proto/notifier';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';

export function sendCode(context: Context): Handlers<NotifierDefinition>['SendCode'] {
  return async (request) => {
    const { channel, to, code, expiresAt, amount, currency } = request;
    if (channel !== 'email' && channel !== 'sms') {
      throw new Fault('internal', { code: 'INTERNAL_ERROR', message: 'no such channel' });
    }
    const outcome = await context.codes.send({ channel, to, code, expiresAt, amount, currency });
    return { outcome };
  };
}
