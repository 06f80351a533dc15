import type { handleUnaryCall, Server } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { type HealthChecks, runChecks } from '../health.js';

type Check = handleUnaryCall<{ service: string }, { status: string }>;

/**
 * Adds gRPC health. `Check` tells whether the service is ready, as `/readyz` does. `Watch`, by
 * which clients may balance, tells only whether the process takes calls: an outage of the database
 * that all replicas share must not take every one of them away.
 */
export function addHealthService(server: Server, checks: HealthChecks): HealthImplementation {
  const health = new HealthImplementation({ '': 'SERVING' });
  const ready = sharedChecks(checks);
  health.addToServer({
    addService: (definition, methods) => {
      const ofProcess = methods.check as Check;
      const check: Check = async (call, callback) => {
        if (await ready()) ofProcess(call, callback);
        else callback(null, { status: 'NOT_SERVING' });
      };
      server.addService(definition, { ...methods, check });
    },
  });
  return health;
}

/** Whether all pass; who asks while others do shares their answer. */
function sharedChecks(checks: HealthChecks): () => Promise<boolean> {
  let asking: Promise<boolean> | null = null;
  return () => {
    asking ??= runChecks(checks).then((found) => {
      asking = null;
      return Object.values(found).every((each) => each === 'ok');
    });
    return asking;
  };
}
