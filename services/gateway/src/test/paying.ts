import { newId } from '@countersign/kernel/id';
import { startOverStandIns } from './over-stand-ins.js';
import type { Answer } from './request.js';
import type { Replica } from './world.js';

/** A gateway with a Client that pays, and services that answer what a test says. */
export async function startPaying() {
  const started = await startOverStandIns();
  const { services, gateway, key } = started;
  const principalId = newId('principal');
  services.on('ResolveActingPrincipal', ({ principalId: named }) => ({
    outcome: 'found',
    principalId: named ?? principalId,
    verificationStatus: 'VERIFIED',
  }));
  const body = {
    agent_id: newId('agent'),
    amount: '10.00',
    intent_context: { task_reference: 'task-1', confidence: 0.9 },
    mcc: '5411',
  };
  const authorize = (
    sent: Record<string, unknown> = body,
    replica: Replica = gateway,
  ): Promise<Answer> => replica.call('/api/v1/authorize', { key, body: sent });
  return { ...started, principalId, body, authorize };
}
