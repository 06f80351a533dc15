import { newId } from '@countersign/kernel/id';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { routes } from '../routes.js';
import { StandIns } from './stand-ins.js';
import { type Answer, type Replica, World } from './world.js';

/** A gateway with a Client that pays, and services that answer what a test says. */
export async function startPaying() {
  const world = await World.start();
  const lifecycle = new Lifecycle(world.log);
  const services = await StandIns.start(world.log, lifecycle);
  const options = { ...services.addresses, RATE_LIMIT_MULTIPLIER: '0' };
  const gateway = await world.replica(options, { routes });
  const { id: clientId } = await gateway.client(world.identity, 0);
  const { api_key: key } = await gateway.key(clientId);
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
  const close = async (): Promise<void> => {
    await world.close();
    await lifecycle.shutdown();
  };
  return { world, services, options, gateway, clientId, key, principalId, body, authorize, close };
}
