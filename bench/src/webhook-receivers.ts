import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { listening } from '@countersign/runtime/testing/listening';

/**
 * Customers' endpoints: one that responds immediately, and one that accepts connections but never
 * responds.
 */
export interface WebhookReceivers {
  healthy: string;
  dead: string;
  /** `host:port` of both, for the list of hosts that are allowed in development. */
  hosts: string;
  close(): Promise<void>;
}

export async function startReceivers(): Promise<WebhookReceivers> {
  const healthy = createHttpServer((request, response) => {
    request.resume();
    request.on('end', () => response.end());
  });
  const dead = createServer(() => {});
  const listeners = [await listening(healthy), await listening(dead)];
  const hosts = listeners.map(({ port }) => `127.0.0.1:${port}`);
  return {
    healthy: `http://${hosts[0]}/hook`,
    dead: `http://${hosts[1]}/hook`,
    hosts: hosts.join(','),
    close: async () => {
      for (const { close } of listeners) await close();
    },
  };
}
