import { Fault } from '@countersign/kernel/fault';
import { type Client, Metadata } from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';

/**
 * Rejects unless the server answers that it is serving. A connection that is up says less: a
 * process that hangs keeps its connections.
 */
export function checkServing(client: Client, deadlineMs: number): Promise<void> {
  const rpc = healthService.Check;
  return new Promise((resolve, reject) => {
    const refuse = (): void => reject(new Fault('unavailable', { message: 'not serving' }));
    if (!rpc || !('path' in rpc)) return refuse();
    client.makeUnaryRequest(
      rpc.path,
      rpc.requestSerialize,
      rpc.responseDeserialize,
      { service: '' },
      new Metadata({ waitForReady: true }),
      { deadline: Date.now() + deadlineMs },
      (error, answer?: { status?: unknown }) => {
        if (!error && answer?.status === 'SERVING') resolve();
        else refuse();
      },
    );
  });
}
