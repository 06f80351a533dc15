import { join } from 'node:path';
import type { PortPicker } from './ports.js';
import type { RunKeys } from './run-keys.js';
import { type Database, type ServiceName, serviceNames } from './services.js';

/** The configuration of all services of one run. */
export interface ServicePlan {
  /** The environment of the caller, which is passed on. */
  env: NodeJS.ProcessEnv;
  databases: readonly Database[];
  redisUrl: string;
  natsUrl: string;
  keys: RunKeys;
  baseUrl: string;
  ports: ServicePorts;
  /** For what a process keeps on its own volume. */
  stateFolder: string;
}

/** Ports of one process. */
export interface ProcessPorts {
  grpc: number;
  health: number;
}

export interface GatewayPorts {
  port: number;
  internalPort: number;
}

export interface ServicePorts extends GatewayPorts {
  /** One entry per replica. */
  replicas: Record<ServiceName, ProcessPorts[]>;
  /** Ports of the gateway's replicas, the first of which are `port` and `internalPort`. */
  gateways: GatewayPorts[];
}

export type ReplicaCounts = Partial<Record<ServiceName, number>>;

export async function pickPorts(
  picker: PortPicker,
  options: Partial<GatewayPorts> & { replicas?: ReplicaCounts } = {},
): Promise<ServicePorts> {
  const first = {
    port: options.port ?? (await picker.pick()),
    internalPort: options.internalPort ?? (await picker.pick()),
  };
  const gateways = [first];
  while (gateways.length < (options.replicas?.gateway ?? 1)) {
    gateways.push({ port: await picker.pick(), internalPort: await picker.pick() });
  }
  const replicas: Partial<ServicePorts['replicas']> = {};
  for (const name of serviceNames) {
    const ports: ProcessPorts[] = [];
    while (ports.length < (options.replicas?.[name] ?? 1)) {
      ports.push({ grpc: await picker.pick(), health: await picker.pick() });
    }
    replicas[name] = ports;
  }
  return { ...first, replicas: replicas as ServicePorts['replicas'], gateways };
}

/**
 * Not passed on: the databases of other services, npm's variables, and the gateway's ports, which
 * only the gateway receives.
 */
const withheld = /^(npm_.*|INIT_CWD|TEST_.*|.*_DATABASE_URL(_LIVE|_SANDBOX)?|POSTGRES_URL)$/i;
const gatewayOnly = ['PORT', 'INTERNAL_PORT', 'ADMIN_KEY'];

/**
 * As in the images: glibc creates a memory arena for each of a process's ten threads, and none of
 * them returns memory.
 */
const allocator = { MALLOC_ARENA_MAX: '2' };

/** Only the public API is reachable from other machines. Inherited variables may override this. */
const thisMachineOnly = {
  GRPC_HOST: '127.0.0.1',
  HEALTH_HOST: '127.0.0.1',
  INTERNAL_HOST: '127.0.0.1',
};

/** The environment of one service process; a service receives only its own databases. */
export function serviceEnvironment(
  name: ServiceName,
  plan: ServicePlan,
  replica = 0,
): NodeJS.ProcessEnv {
  const { env, databases, redisUrl, natsUrl, keys, baseUrl, ports } = plan;
  const inherited = Object.entries(env).filter(
    ([key]) => !withheld.test(key) && !gatewayOnly.includes(key),
  );
  const own = databases.filter(({ service }) => service === name);
  const addresses = serviceNames
    .filter((each) => each !== 'gateway')
    .map((each) => [`${each.toUpperCase()}_ADDRESS`, addressOf(ports.replicas[each])]);
  const { grpc, health } = portsOf(ports, name, replica);
  return {
    ...allocator,
    ...thisMachineOnly,
    ...Object.fromEntries(inherited),
    ...Object.fromEntries(own.map(({ serviceVariable, url }) => [serviceVariable, url])),
    ...Object.fromEntries(addresses),
    REDIS_URL: redisUrl,
    NATS_URL: natsUrl,
    SECRETS_KEY: keys.secretsKey,
    BASE_URL: baseUrl,
    GRPC_PORT: String(grpc),
    HEALTH_PORT: String(health),
    ...(name === 'gateway' ? gatewayEnvironment(plan, replica) : {}),
  };
}

export function portsOf(ports: ServicePorts, name: ServiceName, replica: number): ProcessPorts {
  const found = ports.replicas[name][replica];
  if (!found) throw new Error(`${name} has no replica ${replica}`);
  return found;
}

function addressOf(replicas: readonly ProcessPorts[]): string {
  return replicas.map(({ grpc }) => `127.0.0.1:${grpc}`).join(',');
}

function gatewayEnvironment(plan: ServicePlan, replica: number): NodeJS.ProcessEnv {
  const { env, ports, keys, stateFolder } = plan;
  const { port, internalPort } = ports.gateways[replica] ?? ports;
  const journal = env.FAIL_SAFE_JOURNAL || join(stateFolder, 'fail-safe.jsonl');
  return {
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
    ADMIN_KEY: keys.adminKey,
    FAIL_SAFE_JOURNAL: replica === 0 ? journal : `${journal}-${replica + 1}`,
  };
}
