import { Lifecycle } from '@countersign/runtime/lifecycle';
import { routes } from '../routes.js';
import { StandIns } from './stand-ins.js';
import { World } from './world.js';

/** A gateway with the real table over stand-ins for the services, and a Client with a key. */
export async function startOverStandIns() {
  const world = await World.start();
  const lifecycle = new Lifecycle(world.log);
  const services = await StandIns.start(world.log, lifecycle);
  const options = { ...services.addresses, RATE_LIMIT_MULTIPLIER: '0' };
  const gateway = await world.replica(options, { routes });
  const { id: clientId } = await gateway.client(world.identity, 0);
  const { api_key: key } = await gateway.key(clientId);
  const close = async (): Promise<void> => {
    await world.close();
    await lifecycle.shutdown();
  };
  return { world, services, options, gateway, clientId, key, close };
}
