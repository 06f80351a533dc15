import type { IdKind } from '@countersign/kernel/id';
import { z } from 'zod';
import { idOf } from './id.js';

/** Path parameters of the routes that have one; each is the id of a resource. */
function pathId<N extends string>(name: N, kind: IdKind) {
  return z.object({ [name]: idOf(kind) } as Record<N, ReturnType<typeof idOf>>);
}

export const principalPath = pathId('principal_id', 'principal');
export const programPath = pathId('program_id', 'program');
export const agentPath = pathId('agent_id', 'agent');
export const mandatePath = pathId('mandate_id', 'mandate');
export const authorizationPath = pathId('authorization_id', 'authorization');
export const webhookPath = pathId('webhook_id', 'webhook');
export const casePath = pathId('case_id', 'fraudCase');
export const deliveryPath = z.object({
  webhook_id: idOf('webhook'),
  delivery_id: idOf('delivery'),
});
