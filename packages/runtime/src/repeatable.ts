import type { ServiceDefinition } from '@grpc/grpc-js';

/**
 * A server that dies between its commit and its answer leaves its caller with UNAVAILABLE, whether
 * or not the call took effect. Only methods that their contract declares safe to repeat, by
 * `idempotency_level`, may be retried by the transport; for all others the caller has to decide.
 */
const repeatableLevels: ReadonlySet<unknown> = new Set(['NO_SIDE_EFFECTS', 'IDEMPOTENT']);

interface MethodPath {
  service: string;
  method: string;
}

/** The methods of a contract that the transport may send twice, as a service config names them. */
export function repeatablePaths(service: ServiceDefinition): MethodPath[] {
  return Object.values(service)
    .filter(isRepeatable)
    .map(({ path }) => {
      const [, name = '', method = ''] = path.split('/');
      return { service: name, method };
    });
}

/** Throws for methods that must not be streamed: calls on a broken stream are sent once more. */
export function assertRepeatable(service: ServiceDefinition, methods: readonly string[]): void {
  for (const name of methods) {
    const method = service[name];
    if (!method || !isRepeatable(method)) throw new Error(`${name} is not safe to repeat`);
  }
}

/** The loader keeps the options of a method, though grpc-js has no type for them. */
function isRepeatable(method: object): boolean {
  const { options } = method as { options?: { idempotency_level?: unknown } };
  return repeatableLevels.has(options?.idempotency_level);
}
