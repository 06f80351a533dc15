import type { Clock } from '@countersign/kernel/clock';
import { newId } from '@countersign/kernel/id';
import type { AuthorizeRequestInput, PaymentInput } from '@countersign/proto/decision';
import { type DecisionDefinition, decisionService } from '@countersign/proto/decision';
import { identityService } from '@countersign/proto/identity';
import { ledgerService } from '@countersign/proto/ledger';
import { inTheClear } from '@countersign/runtime/grpc/transport';
import { createGrpcClient, type GrpcClient } from '@countersign/runtime/grpc-client';
import { type GrpcServerOptions, startGrpcServer } from '@countersign/runtime/grpc-server';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { createTestDatabases, testUrl, until } from '@countersign/runtime/testing';
import { loadConfig } from '../config.js';
import { type Context, createContext } from '../context.js';
import { startServer } from '../server.js';
import { type AgentIds, FakeIdentity } from './fake-identity.js';
import { FakeLedger } from './fake-ledger.js';

interface DecisionUnderTest {
  context: Context;
  client: GrpcClient<DecisionDefinition>;
  identity: FakeIdentity;
  ledger: FakeLedger;
  /** Starts another process with the same databases, bus and neighbours. */
  replica(settings?: Settings): Promise<Pick<DecisionUnderTest, 'context' | 'client'>>;
  stop(): Promise<void>;
}

type Settings = Record<string, string>;

/** The public URL, which is also the issuer of live attestations. */
export const issuer = 'https://api.example.com';

const log = createLog({ service: 'decision-test', level: 'fatal' });

/**
 * Starts the service with real databases, bus and Redis, and with fakes of identity and the
 * ledger. `prepare` may change the live database before the service opens it.
 */
export async function startDecision(
  settings: Settings = {},
  { prepare, clock }: Given = {},
): Promise<DecisionUnderTest> {
  const lifecycle = new Lifecycle(log);
  const databases = await createTestDatabases('decision');
  await prepare?.(databases.urls.live);
  const identity = new FakeIdentity();
  const ledger = new FakeLedger();
  const identityPort = await serve(lifecycle, identityService, identity.handlers());
  const ledgerPort = await serve(lifecycle, ledgerService, ledger.handlers());
  const env = {
    GRPC_HOST: '127.0.0.1',
    GRPC_PORT: '0',
    HEALTH_HOST: '127.0.0.1',
    HEALTH_PORT: '0',
    NATS_URL: testUrl('nats'),
    REDIS_URL: testUrl('redis'),
    NAMESPACE: newId('event'),
    DATABASE_URL_LIVE: databases.urls.live,
    DATABASE_URL_SANDBOX: databases.urls.sandbox,
    IDENTITY_ADDRESS: `127.0.0.1:${identityPort}`,
    LEDGER_ADDRESS: `127.0.0.1:${ledgerPort}`,
    BASE_URL: issuer,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    // Generous, so that a busy machine is no outage; tests of deadlines set shorter ones.
    DECISION_DEADLINE_MS: '8000',
    REDIS_TIMEOUT_MS: '5000',
    ...settings,
  };
  const replica = (own: Settings = {}) => startReplica({ ...env, ...own }, lifecycle, clock);
  return {
    ...(await replica()),
    identity,
    ledger,
    replica,
    stop: async () => {
      await lifecycle.shutdown();
      await databases.drop();
    },
  };
}

interface Given {
  prepare?: (databaseUrl: string) => Promise<void>;
  clock?: Clock;
}

async function startReplica(env: Settings, lifecycle: Lifecycle, clock?: Clock) {
  const context = await createContext(loadConfig(env), {
    log,
    lifecycle,
    ...(clock && { clock }),
  });
  const { grpcPort } = await startServer(context);
  const client = createGrpcClient({
    transport: inTheClear,
    service: decisionService,
    address: `127.0.0.1:${grpcPort}`,
    metrics: new Metrics('test'),
  });
  lifecycle.onShutdown('client of the test', () => client.close());
  await until(() => context.redis.status === 'ready', { what: 'Redis' });
  await warmUp(client);
  return { context, client };
}

/**
 * The first calls of a process compile code and open connections, which tests must not wait for.
 */
async function warmUp({ call }: GrpcClient<DecisionDefinition>): Promise<void> {
  const principalId = newId('principal');
  for (const environment of ['live', 'sandbox'] as const) {
    const options = { ...callOptions, environment };
    await call.GetThresholds({ tenant: { clientId: 'cli_1', principalId } }, options);
    await until(() => isAnswered(call.Authorize(authorizeRequest(newAgentIds()), options)));
  }
}

function isAnswered(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

function serve<D>(
  lifecycle: Lifecycle,
  service: GrpcServerOptions<D>['service'],
  handlers: Handlers<D>,
): Promise<number> {
  const metrics = new Metrics('neighbour');
  return startGrpcServer({
    transport: inTheClear,
    service,
    handlers,
    host: '127.0.0.1',
    port: 0,
    log,
    metrics,
    lifecycle,
  });
}

/** Call options as the gateway sends them. */
export const callOptions = { environment: 'live', requestId: 'req-1', deadlineMs: 20_000 } as const;

export function newAgentIds(): AgentIds {
  return {
    agentId: newId('agent'),
    principalId: newId('principal'),
    mandateId: newId('mandate'),
  };
}

export function authorizeRequest(
  { agentId, principalId }: AgentIds,
  payment: PaymentInput = {},
): AuthorizeRequestInput {
  return {
    authorizationId: newId('authorization'),
    transactionId: newId('transaction'),
    clientId: 'cli_1',
    principalId,
    payment: {
      agentId,
      amount: '10.00',
      currency: 'USD',
      rail: 'CARD',
      intentContext: { taskReference: 'task-1' },
      ...payment,
    },
    bodyHash: JSON.stringify(payment),
    reqHash: 'req',
  };
}
