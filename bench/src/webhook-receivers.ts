import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';

/**
 * Customers' endpoints: one that responds immediately, and one that accepts connections but never
 * responds.
 */
export interface WebhookReceivers {
  healthy: string;
  dead: string;
  /** `host:port` of both, for the list of hosts that are allowed in development. */
  hosts: string;
  close(): void;
}

export async function startReceivers(): Promise<WebhookReceivers> {
  const healthy = createHttpServer((request, response) => {
    request.resume();
    request.on('end', () => response.end());
  });
  const dead = createServer(() => {});
  const hosts = [await listen(healthy), await listen(dead)];
  return {
    healthy: `http://${hosts[0]}/hook`,
    dead: `http://${hosts[1]}/hook`,
    hosts: hosts.join(','),
    close: () => {
      healthy.closeAllConnections();
      healthy.close();
      dead.close();
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
