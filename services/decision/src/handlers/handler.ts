import type { DecisionDefinition } from '@countersign/proto/decision';
import type { Handlers } from '@countersign/runtime/grpc-types';

/** The RPCs of this service; `DecisionHandlers['Authorize']` is the type of one handler. */
export type DecisionHandlers = Handlers<DecisionDefinition>;
