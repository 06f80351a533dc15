import { Fault, type FaultKind, type WireFault } from '@countersign/kernel/fault';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { metadataKeys } from '../grpc-types.js';

const statusByKind: Record<FaultKind, status> = {
  invalid: status.INVALID_ARGUMENT,
  malformed: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  conflict: status.ALREADY_EXISTS,
  exhausted: status.RESOURCE_EXHAUSTED,
  unavailable: status.UNAVAILABLE,
  deadline: status.DEADLINE_EXCEEDED,
  internal: status.INTERNAL,
};

const internalFault: WireFault = {
  kind: 'internal',
  code: 'INTERNAL_ERROR',
  message: 'Something went wrong on our side.',
};

const strayCode = 'STRAY_CALL';

/**
 * A call of another service: while a name server still remembers the address of a replica that is
 * gone, the address may belong to somebody else. It had no effect, so it may be made again.
 */
export function strayCall(method: string): Fault {
  return new Fault('unavailable', {
    code: strayCode,
    message: 'A part of the service is moving; try again.',
    internal: `${method} is not served here`,
  });
}

export function isStrayCall(error: unknown): boolean {
  return error instanceof Fault && error.code === strayCode;
}

/** The public part of what the dispatcher threw, which has made a fault of a store that is away. */
export function toWireFault(error: unknown): WireFault {
  return error instanceof Fault ? error.toWire() : internalFault;
}

/**
 * The status serves the transport's own decisions (retry, breaker). The fault itself travels in
 * trailing metadata, so that 400, 403 and 422 survive a hop that maps all of them to one status.
 */
export function toGrpcError(error: unknown): Partial<ServiceError> {
  const wire = toWireFault(error);
  const metadata = new Metadata();
  metadata.set(metadataKeys.fault, Buffer.from(JSON.stringify(wire)));
  return { code: statusByKind[wire.kind], details: wire.code, metadata };
}

/** The fault that the other side threw, or the fault that a failure of the transport means. */
export function fromGrpcError(error: ServiceError, method: string): Fault {
  const [wire] = error.metadata?.get(metadataKeys.fault) ?? [];
  if (Buffer.isBuffer(wire)) {
    return Fault.fromWire(JSON.parse(wire.toString()) as WireFault);
  }
  const unknownAnswer = error.code === status.DEADLINE_EXCEEDED || error.code === status.CANCELLED;
  return new Fault(unknownAnswer ? 'deadline' : 'unavailable', {
    message: 'A part of the service did not answer in time; try again.',
    internal: `${method}: ${error.code} ${error.details}`,
    cause: error,
  });
}
