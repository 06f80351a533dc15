import type { IdentityDefinition } from '@countersign/proto/identity';
import type { Handlers } from '@countersign/runtime/grpc-types';

export type IdentityHandlers = Handlers<IdentityDefinition>;

/** One RPC of the contract, by its name in the .proto. */
export type Handler<Name extends keyof IdentityHandlers> = IdentityHandlers[Name];
