import type { PortPicker } from './ports.js';
import type { RunKeys } from './run-keys.js';
import { type Database, type ServiceName, serviceNames } from './services.js';

/** Everything that the services of one run are told. */
export interface ServicePlan {
  /** What is passed on to each of them: the environment of whoever starts them. */
  env: NodeJS.ProcessEnv;
  databases: readonly Database[];
  redisUrl: string;
  natsUrl: string;
  keys: RunKeys;
  baseUrl: string;
  ports: ServicePorts;
}

export interface ServicePorts {
  port: number;
  internalPort: number;
  grpc: Record<ServiceName, number>;
  health: Record<ServiceName, number>;
}

export async function pickPorts(
  picker: PortPicker,
  fixed: { port?: number; internalPort?: number } = {},
): Promise<ServicePorts> {
  const each = async (): Promise<Record<ServiceName, number>> => {
    const ports: Partial<Record<ServiceName, number>> = {};
    for (const name of serviceNames) ports[name] = await picker.pick();
    return ports as Record<ServiceName, number>;
  };
  return {
    port: fixed.port ?? (await picker.pick()),
    internalPort: fixed.internalPort ?? (await picker.pick()),
    grpc: await each(),
    health: await each(),
  };
}

/**
 * Not passed on: what names other services' databases, what npm adds, and the ports of the
 * gateway, which are told to the gateway alone.
 */
const withheld = /^(npm_.*|INIT_CWD|TEST_.*|.*_DATABASE_URL(_LIVE|_SANDBOX)?|POSTGRES_URL)$/i;
const gatewayOnly = ['PORT', 'INTERNAL_PORT', 'ADMIN_KEY'];

/** The environment of one service's process; a service sees no database but its own. */
export function serviceEnvironment(name: ServiceName, plan: ServicePlan): NodeJS.ProcessEnv {
  const { env, databases, redisUrl, natsUrl, keys, baseUrl, ports } = plan;
  const inherited = Object.entries(env).filter(
    ([key]) => !withheld.test(key) && !gatewayOnly.includes(key),
  );
  const own = databases.filter(({ service }) => service === name);
  const addresses = serviceNames
    .filter((each) => each !== 'gateway')
    .map((each) => [`${each.toUpperCase()}_ADDRESS`, `127.0.0.1:${ports.grpc[each]}`]);
  return {
    GRPC_HOST: '127.0.0.1',
    ...Object.fromEntries(inherited),
    ...Object.fromEntries(own.map(({ serviceVariable, url }) => [serviceVariable, url])),
    ...Object.fromEntries(addresses),
    REDIS_URL: redisUrl,
    NATS_URL: natsUrl,
    SECRETS_KEY: keys.secretsKey,
    BASE_URL: baseUrl,
    GRPC_PORT: String(ports.grpc[name]),
    HEALTH_PORT: String(ports.health[name]),
    ...(name === 'gateway' ? gatewayEnvironment(plan) : {}),
  };
}

function gatewayEnvironment({ ports, keys }: ServicePlan): NodeJS.ProcessEnv {
  return {
    PORT: String(ports.port),
    INTERNAL_PORT: String(ports.internalPort),
    ADMIN_KEY: keys.adminKey,
  };
}
