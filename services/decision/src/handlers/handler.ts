import type { DecisionDefinition } from '@countersign/proto/decision';
import type { Handlers } from '@countersign/runtime/grpc-types';

/** What this service answers; `DecisionHandlers['Authorize']` is the type of one RPC. */
export type DecisionHandlers = Handlers<DecisionDefinition>;
