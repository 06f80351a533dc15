import { Fault } from '@countersign/kernel/fault';
import type { IdentityDefinition } from '@countersign/proto/identity';
import type { GrpcClient } from '@countersign/runtime/grpc-client';
import type { CallOptions } from '@countersign/runtime/grpc-types';
import type { CodeMessage } from './send-code.js';

/** How a Principal receives its codes. */
export type Contact = Pick<CodeMessage, 'channel' | 'to'>;

export type Identity = GrpcClient<IdentityDefinition>;

/** Null if the Principal wants no codes or does not exist. */
export async function contactOf(
  identity: Identity,
  { clientId, principalId }: { clientId: string; principalId: string },
  options: CallOptions,
): Promise<Contact | null> {
  try {
    const { stepUp, profile } = await identity.call.GetPrincipal(
      { clientId, id: principalId },
      options,
    );
    if (stepUp?.method === 'email' && profile?.email)
      return { channel: 'email', to: profile.email };
    if (stepUp?.method === 'sms' && stepUp.phone) return { channel: 'sms', to: stepUp.phone };
    return null;
  } catch (error) {
    if (error instanceof Fault && error.kind === 'not_found') return null;
    throw error;
  }
}
