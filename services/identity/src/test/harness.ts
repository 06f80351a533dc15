import { randomBytes } from 'node:crypto';
import type { Environment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import { type IdentityDefinition, identityService } from '@countersign/proto/identity';
import { inTheClear } from '@countersign/runtime/grpc/transport';
import { createGrpcClient } from '@countersign/runtime/grpc-client';
import type { Methods } from '@countersign/runtime/grpc-types';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { createTestDatabases, testUrl } from '@countersign/runtime/testing';
import type { Test } from 'tap';
import { loadConfig } from '../config.js';
import { type Context, createContext } from '../context.js';
import { startServer } from '../server.js';
import { TestLedger } from './ledger.js';

export const baseUrl = 'https://api.example.com';

/** Generous, so that tests do not fail on a busy machine. */
const deadlineMs = 30_000;

/** The running service with its own databases and a ledger stub that accepts fences. */
interface Running {
  context: Context;
  ledger: TestLedger;
  healthPort: number;
  /** Calls in sandbox, unless another environment is named. */
  call: Bound;
  in(environment: Environment): Bound;
  /** The service's clock adds this to the real time. */
  clock: { offsetMs: number };
}

type All = Methods<IdentityDefinition>;
/** The RPCs with their call options preset. */
export type Bound = {
  [K in keyof All]: (
    request: Parameters<All[K]>[0],
    options?: { deadlineMs?: number },
  ) => ReturnType<All[K]>;
};

export async function startIdentity(t: Test): Promise<Running> {
  const databases = await createTestDatabases('identity');
  const ledger = new TestLedger();
  await ledger.start();
  const clock = { offsetMs: 0 };
  const log = createLog({ service: 'identity', level: process.env.TEST_LOG ?? 'silent' });
  const lifecycle = new Lifecycle(log);
  const config = loadConfig(environmentFor(databases.urls, ledger.address));
  const context = await createContext(config, {
    log,
    lifecycle,
    clock: () => Date.now() + clock.offsetMs,
  });
  const { grpcPort, healthPort } = await startServer(context);
  const client = createGrpcClient({
    transport: inTheClear,
    service: identityService,
    address: `127.0.0.1:${grpcPort}`,
    metrics: new Metrics('test'),
  });
  t.teardown(async () => {
    client.close();
    await lifecycle.shutdown();
    await ledger.stop();
    await databases.drop();
  });
  return {
    context,
    ledger,
    healthPort,
    call: bound(client.call, 'sandbox'),
    in: (environment) => bound(client.call, environment),
    clock,
  };
}

function environmentFor(
  urls: Record<Environment, string>,
  ledgerAddress: string,
): Record<string, string> {
  return {
    GRPC_PORT: '0',
    GRPC_HOST: '127.0.0.1',
    HEALTH_HOST: '127.0.0.1',
    HEALTH_PORT: '0',
    DATABASE_URL_LIVE: urls.live,
    DATABASE_URL_SANDBOX: urls.sandbox,
    DATABASE_POOL_SIZE: '8',
    NATS_URL: testUrl('nats'),
    NAMESPACE: `test_identity_${randomBytes(6).toString('hex')}`,
    LEDGER_ADDRESS: ledgerAddress,
    BASE_URL: baseUrl,
    FENCE_RETRY_MS: '50',
  };
}

function bound(call: All, environment: Environment): Bound {
  return Object.fromEntries(
    Object.entries(call).map(([name, method]) => [
      name,
      (request: never, options: { deadlineMs?: number } = {}) =>
        method(request, { environment, requestId: newId('event'), deadlineMs, ...options }),
    ]),
  ) as Bound;
}

/** The kind and code of a refusal and the field and type of each error, as one line. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'answered';
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const fields = (error.errors ?? []).map(({ field, type }) => `${field}:${type}`);
    return [error.kind, error.code, ...fields].join(' ');
  }
}
