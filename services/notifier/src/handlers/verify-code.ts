import type { NotifierDefinition } from '@countersign/proto/notifier';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { verifyCode as verify } from '../codes/verify.js';
import type { Context } from '../context.js';

export function verifyCode(context: Context): Handlers<NotifierDefinition>['VerifyCode'] {
  return async ({ tenant, code, authorizationId, expiresAt, amount, currency }, call) => {
    const { clientId = '', principalId = '' } = tenant ?? {};
    const challenge = { authorizationId, clientId, principalId, expiresAt, amount, currency };
    return verify(context, { challenge, code }, call);
  };
}
