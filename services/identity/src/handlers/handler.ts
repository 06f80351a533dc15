import type { IdentityDefinition } from '@countersign/proto/identity';
import type { Handlers } from '@countersign/runtime/grpc-types';

export type IdentityHandlers = Handlers<IdentityDefinition>;

/** The handler of one RPC, by its name in the .proto file. */
export type Handler<Name extends keyof IdentityHandlers> = IdentityHandlers[Name];
